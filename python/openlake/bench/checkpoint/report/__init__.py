"""From the results of a run to its report: figures, tables beside published results, a plot."""
