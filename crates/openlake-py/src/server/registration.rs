//! Which classes the module has for the control plane.

use pyo3::prelude::*;

use super::{completion, errors, request, running, values};

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("EngineError", module.py().get_type::<errors::EngineError>())?;
    module.add("StartError", module.py().get_type::<errors::StartError>())?;
    module.add_class::<running::Server>()?;
    module.add_class::<request::Request>()?;
    module.add_class::<completion::Completion>()?;
    module.add_class::<values::ObjectAttributes>()?;
    module.add_class::<values::EngineObject>()?;
    module.add_class::<values::BucketInfo>()?;
    module.add_class::<values::Part>()?;
    module.add_class::<values::PartsPage>()?;
    module.add_class::<values::Upload>()?;
    module.add_class::<values::UploadsPage>()
}
