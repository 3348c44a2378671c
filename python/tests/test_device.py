"""Metal's objects as Python classes."""

from __future__ import annotations

import pickle
import threading
import time

import metalworking as mw
import ml_dtypes
import numpy as np
import pytest

SOURCE = """
#include <metal_stdlib>
using namespace metal;

constant int addend [[function_constant(0)]];
constant bool negates [[function_constant(1)]];
constant bool negates_really = is_function_constant_defined(negates) && negates;

struct Settings { float scale; uint counts[2]; };

kernel void affine(device float* x [[buffer(0)]], constant Settings& settings [[buffer(1)]],
                   threadgroup float* scratch [[threadgroup(0)]],
                   uint i [[thread_position_in_grid]], uint lane [[thread_index_in_threadgroup]]) {
  scratch[lane] = x[i] * settings.scale + addend;
  x[i] = negates_really ? -scratch[lane] : scratch[lane];
}

kernel void plain(device float* x, uint i [[thread_position_in_grid]]) { x[i] *= 2; }

kernel void endless(device atomic_uint* x) {
  while (atomic_load_explicit(x, memory_order_relaxed) == 0) {}
}
"""


@pytest.fixture(scope="module")
def device():
    return mw.Device()


@pytest.fixture(scope="module")
def library(device):
    return device.new_library_with_source(SOURCE)


def launch(device, pipeline, bind, threads=8, threadgroup=8):
    commands = device.new_command_queue().command_buffer()
    with commands.compute_command_encoder() as encoder:
        encoder.set_compute_pipeline_state(pipeline)
        bind(encoder)
        encoder.dispatch_threads(threads, threadgroup)
    commands.commit()
    commands.wait_until_completed()
    return commands


def test_a_device_tells_its_limits():
    device = mw.Device(chip="m4-max")
    assert (device.name, device.architecture, device.engine) == ("Apple M4 Max", "applegpu_g16s", "cpu")
    assert device.max_threads_per_threadgroup == 1024
    assert device.max_threadgroup_memory_length == 32768
    assert device.has_unified_memory
    assert device.supports_family("Apple9")
    assert not device.supports_family("Apple10")
    with pytest.raises(ValueError, match="`Apple99` is no GPU family"):
        device.supports_family("Apple99")


def test_settings_that_name_nothing_are_refused(monkeypatch):
    with pytest.raises(mw.SettingError, match="there is no engine `gpu`; engines are cpu, interp, checked"):
        mw.Device("gpu")
    monkeypatch.setenv("MW_CHIP", "m99")
    with pytest.raises(mw.SettingError, match="m99"):
        mw.Device()


def test_reflection_is_data(device, library):
    assert library.function_names == ["affine", "plain", "endless"]
    assert "plain" in library
    assert "simple" not in library
    function = library.function("affine")
    constants = function.function_constants
    assert [(one.name, one.index, one.type_name, one.required) for one in constants] == [
        ("addend", 0, "int", True),
        ("negates", 1, "bool", False),
    ]
    pipeline = device.new_compute_pipeline_state(function.specialized({0: 1}))
    x, settings, scratch, i, lane = pipeline.bindings
    assert (x.name, x.kind, x.index, x.type_name, x.access, x.address_space) == (
        "x", "buffer", 0, "float", "read_write", "device",
    )  # fmt: skip
    assert (x.element_size, x.element_align, x.is_used) == (4, 4, True)
    assert (settings.index, settings.access, settings.address_space, settings.size) == (1, "read", "constant", 12)
    members = [(one.name, one.type_name, one.offset, one.size, one.array_length) for one in settings.members]
    assert members == [("scale", "float", 0, 4, 0), ("counts", "uint", 4, 4, 2)]
    assert (scratch.kind, scratch.index) == ("threadgroup", 0)
    assert [one.builtin for one in (i, lane)] == ["thread_position_in_grid", "thread_index_in_threadgroup"]
    assert (pipeline.thread_execution_width, pipeline.max_total_threads_per_threadgroup) == (32, 1024)


@pytest.mark.parametrize(("constants", "sign"), [({0: 3}, 1), ({"addend": 3, "negates": True}, -1)])
def test_kernels_run_on_the_callers_memory(device, library, constants, sign):
    pipeline = device.new_compute_pipeline_state(library.function("affine", constants))
    x = np.arange(8, dtype=np.float32)
    buffer = device.new_buffer_no_copy(x)

    def bind(encoder):
        encoder.set_buffer(0, buffer).set_bytes(1, np.array([2, 0, 0], np.float32))
        encoder.set_threadgroup_memory_length(32, 0)

    commands = launch(device, pipeline, bind)
    np.testing.assert_array_equal(x, sign * (np.arange(8, dtype=np.float32) * 2 + 3))
    assert commands.status == "completed"
    assert commands.error is None
    assert commands.gpu_end_time >= commands.gpu_start_time


@pytest.mark.parametrize(
    ("constants", "message"),
    [
        ({}, "needs values for the function constants 0 `addend` \\(int\\)"),
        ({0: 2.5}, "function constant `addend` is declared `int`, and 2.5 is no value of that type"),
        ({0: 2**40}, "declared `int`"),
        ({0: True}, "declared `int`"),
        ({0: 1, "negates": 1}, "function constant `negates` is declared `bool`"),
        ({"subtrahend": 1}, "declares no function constant `subtrahend`"),
    ],
)
def test_wrong_constants_are_named(device, library, constants, message):
    with pytest.raises(mw.FunctionError, match=message):
        device.new_compute_pipeline_state(library.function("affine", constants))


def test_mistakes_in_source_have_places(device):
    with pytest.raises(mw.CompileError) as caught:
        device.new_library_with_source("kernel void f(device float* x) {\n  x[0] = y;\n}\n", file_name="mine.metal")
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.file, diagnostic.line, diagnostic.column) == ("mine.metal", 2, 10)
    assert (diagnostic.severity, diagnostic.code) == ("error", "MSL0200")
    assert "`y`" in diagnostic.message
    assert str(diagnostic) == f"mine.metal:2:10: error[MSL0200]: {diagnostic.message}"
    assert "--> mine.metal:2:10" in str(caught.value)
    assert isinstance(caught.value, RuntimeError)
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.diagnostics == caught.value.diagnostics


def test_sources_take_macros_headers_and_versions(device, tmp_path):
    (tmp_path / "folder.h").write_text("#define ON_DISK 5\n")
    source = '#include "given.h"\n#include "folder.h"\nkernel void f(device int* x) { x[0] = A + IN_TEXT + ON_DISK; }'
    library = device.new_library_with_source(
        source, macros={"A": 30}, headers={"given.h": "#define IN_TEXT 200\n"}, include_folders=[tmp_path]
    )
    buffer = device.new_buffer(4)
    pipeline = device.new_compute_pipeline_state(library.function("f"))
    launch(device, pipeline, lambda encoder: encoder.set_buffer(0, buffer), 1, 1)
    assert buffer.array("int32").tolist() == [235]
    with pytest.raises(mw.CompileError, match="given.h"):
        device.new_library_with_source(source)
    with pytest.raises(ValueError, match="metal9.9"):
        device.new_library_with_source("", language_version="metal9.9")


def test_views_keep_memory_alive():
    device = mw.Device()
    buffer = device.new_buffer(4096)
    contents = buffer.contents()
    del buffer
    assert device.current_allocated_size == 4096
    del contents
    assert device.current_allocated_size == 0
    array = device.new_buffer(4096).array("float32")
    assert device.current_allocated_size == 4096
    del array
    assert device.current_allocated_size == 0
    kept = np.zeros(1024, np.float32)
    buffer = device.new_buffer_no_copy(kept)
    with pytest.raises(ValueError, match="cannot resize"):
        kept.resize(8)
    assert device.current_allocated_size == 4096
    del buffer
    assert device.current_allocated_size == 0


def test_buffers_are_memory_in_place(device):
    buffer = device.new_buffer_with_data(np.arange(6, dtype=np.int32))
    assert (buffer.length, len(buffer)) == (24, 24)
    grid = buffer.array(np.int32, (2, -1))
    assert grid.tolist() == [[0, 1, 2], [3, 4, 5]]
    grid[1, 2] = 50
    assert buffer.read(20, 4) == np.int32(50).tobytes()
    buffer.write(b"\x01\x00\x00\x00", 4)
    assert grid[0, 1] == 1
    contents = buffer.contents()
    assert np.asarray(buffer).ctypes.data == np.frombuffer(contents, np.uint8).ctypes.data
    buffer.label = "numbers"
    assert "numbers" in repr(buffer)
    contents[0] = 7
    assert grid[0, 0] == 7


def test_buffers_refuse_what_does_not_fit(device):
    with pytest.raises(mw.BufferError, match="at least one byte"):
        device.new_buffer(0)
    buffer = device.new_buffer(8)
    with pytest.raises(mw.BufferError, match="reach past the end of a buffer of 8 bytes"):
        buffer.read(4, 8)
    with pytest.raises(BufferError, match="reach past the end"):
        buffer.write(bytes(9))
    with pytest.raises(ValueError, match="has 12 bytes, the buffer has 8"):
        buffer.array(np.float32, 3)
    with pytest.raises(ValueError, match="read-only"):
        device.new_buffer_no_copy(np.frombuffer(b"12345678", np.uint8))
    with pytest.raises(ValueError, match="not contiguous"):
        device.new_buffer_no_copy(np.zeros((4, 4))[:, 0])
    with pytest.raises(TypeError, match="`dict` has no bytes to take"):
        device.new_buffer_with_data({})


def test_bfloat16_goes_through_ml_dtypes(device):
    values = np.array([1, 2.5], ml_dtypes.bfloat16)
    buffer = device.new_buffer_with_data(values)
    assert buffer.length == 4
    assert buffer.array("bfloat16").tolist() == [1, 2.5]


def test_strided_data_is_copied_in_order(device):
    buffer = device.new_buffer_with_data(np.arange(6, dtype=np.int32).reshape(2, 3).T)
    assert buffer.array(np.int32).tolist() == [0, 3, 1, 4, 2, 5]


def test_launch_mistakes_come_from_the_encoder(device, library):
    pipeline = device.new_compute_pipeline_state(library.function("plain"))
    commands = device.new_command_queue().command_buffer()
    encoder = commands.compute_command_encoder().set_compute_pipeline_state(pipeline)
    encoder.dispatch_threads(8, 8)
    with pytest.raises(mw.EncodeError, match="needs `x` \\(`float`\\) at buffer index 0, where nothing is bound"):
        encoder.end_encoding()
    with pytest.raises(mw.EncodeError, match="where nothing is bound"):
        commands.commit()
    with pytest.raises(ValueError, match="one to three dimensions, not 4"):
        commands.compute_command_encoder().dispatch_threads((1, 1, 1, 1), 1)
    with pytest.raises(ValueError, match="from 0 on, not -8"):
        commands.compute_command_encoder().dispatch_threads(-8, 1)


def test_an_exception_in_a_with_block_comes_through(device):
    commands = device.new_command_queue().command_buffer()

    def encode():
        with commands.compute_command_encoder() as encoder:
            encoder.dispatch_threads(8, 8)
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        encode()


def test_copies_and_fills(device):
    a, b = device.new_buffer_with_data(bytes(range(8))), device.new_buffer(8)
    commands = device.new_command_queue().command_buffer()
    with commands.blit_command_encoder() as encoder:
        encoder.fill_buffer(b, 0, 8, 9).copy_from_buffer(a, 2, b, 4, 3)
    commands.commit()
    commands.wait_until_completed()
    assert b.read() == bytes([9, 9, 9, 9, 2, 3, 4, 9])


def test_waits_release_the_gil(device, library):
    event = device.new_shared_event()
    commands = device.new_command_queue().command_buffer()
    commands.encode_wait_for_event(event, 1)
    commands.commit()
    # While the main thread waits, this one has to run.
    threading.Timer(0.05, lambda: setattr(event, "signaled_value", 1)).start()
    commands.wait_until_completed()
    assert event.signaled_value == 1
    assert not event.wait_until_signaled_value(2, timeout=0.01)


def test_handlers_are_called_and_their_exceptions_stay(device, monkeypatch):
    seen, unraisable = [], []
    monkeypatch.setattr("sys.unraisablehook", lambda error: unraisable.append(error.exc_value))
    commands = device.new_command_queue().command_buffer()
    commands.add_scheduled_handler(lambda buffer: seen.append(buffer.status))
    commands.add_completed_handler(lambda buffer: seen.append(buffer.status))
    commands.add_completed_handler(lambda buffer: 1 / 0)
    commands.commit()
    commands.wait_until_completed()
    assert seen == ["scheduled", "completed"]
    assert [type(error) for error in unraisable] == [ZeroDivisionError]


def test_a_kernel_that_never_ends_is_stopped(library):
    device = mw.Device()
    device.set_time_limit(0.2)
    buffer = device.new_buffer(4)
    pipeline = device.new_compute_pipeline_state(library.function("endless"))
    start = time.monotonic()
    with pytest.raises(mw.WatchdogError, match="stopped by the watchdog"):
        launch(device, pipeline, lambda encoder: encoder.set_buffer(0, buffer), 1, 1)
    assert time.monotonic() - start < 60


def test_queues_of_many_threads(device, library):
    pipeline = device.new_compute_pipeline_state(library.function("plain"))

    def work(results, number):
        x = np.full(64, number, np.float32)
        buffer = device.new_buffer_no_copy(x)
        for _ in range(20):
            launch(device, pipeline, lambda encoder: encoder.set_buffer(0, buffer), 64, 32)
        results[number] = x

    results = {}
    threads = [threading.Thread(target=work, args=(results, number)) for number in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((values == number * 2.0**20).all() for number, values in results.items())
    assert len(results) == 4


def test_heaps_and_memory_accounts():
    device = mw.Device()
    before = device.current_allocated_size
    heap = device.new_heap(1 << 16)
    buffer = heap.new_buffer(1000)
    assert heap.used_size >= 1000
    assert device.current_allocated_size - before == heap.size
    with pytest.raises(mw.BufferError, match="no free span"):
        heap.new_buffer(1 << 20)
    del buffer, heap
    assert device.current_allocated_size == before


def test_libraries_come_from_files(device, tmp_path, library):
    with pytest.raises(mw.LibraryError, match="none.metallib"):
        device.new_library_with_file(tmp_path / "none.metallib")
    with pytest.raises(mw.LibraryError, match="cannot open the library"):
        device.new_library_with_data(b"no library")
    with pytest.raises(mw.FunctionError, match="did you mean `plain`"):
        library.function("plane")
