"""The admin address: readiness, health and metrics, for whoever operates the server."""

from openlake.control.admin.metrics import ControlMetrics
from openlake.control.admin.site import AdminSite

__all__ = ["AdminSite", "ControlMetrics"]
