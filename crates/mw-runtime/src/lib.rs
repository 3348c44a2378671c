//! A Metal-shaped runtime: devices, libraries, pipelines, buffers, queues, encoders.
