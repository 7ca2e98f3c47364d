//! Which classes and functions of the SDK the module has.

use pyo3::prelude::*;

use super::{answers, client, load, null_server, pattern, probe, settings};

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<answers::Bucket>()?;
    module.add_class::<answers::GotObject>()?;
    module.add_class::<answers::ListPage>()?;
    module.add_class::<answers::ListedObject>()?;
    module.add_class::<answers::ObjectHead>()?;
    module.add_class::<answers::PutOutcome>()?;
    module.add_class::<answers::UploadedPart>()?;
    module.add_class::<client::NativeClient>()?;
    module.add_class::<null_server::NullServer>()?;
    module.add_class::<settings::Progress>()?;
    module.add_function(wrap_pyfunction!(pattern::pattern_fill, module)?)?;
    module.add_function(wrap_pyfunction!(pattern::pattern_first_difference, module)?)?;
    module.add_function(wrap_pyfunction!(probe::probe_drive, module)?)?;
    module.add_function(wrap_pyfunction!(load::run_load, module)?)
}
