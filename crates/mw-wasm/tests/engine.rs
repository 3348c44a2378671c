//! The engine behind its one call, without a browser: requests, answers, limits.

use mw_wasm::{call, frame};
use serde_json::{Value, json};

fn ask(request: &Value) -> Value {
    ask_with(request, &[]).0
}

fn ask_with(request: &Value, data: &[u8]) -> (Value, Vec<u8>) {
    let answer = call(&frame::join(request, data));
    let (text, bytes) = frame::split(&answer).expect("a frame");
    (serde_json::from_slice(text).expect("JSON"), bytes.to_vec())
}

const SCALE: &str = "\
// run: kernel=scale grid=5 threadgroup=4 x=arange:f32[5] factor=f32:2 expect.x=f32:[0,2,4,6,8]
kernel void scale(device float *x [[buffer(0)]], constant float &factor [[buffer(1)]],
                  uint i [[thread_position_in_grid]]) {
  x[i] *= factor;
}
";

#[test]
fn a_line_of_the_source_runs_and_is_checked() {
    let answer = ask(&json!({ "op": "run", "source": SCALE, "line": 0 }));
    assert_eq!(answer["ok"], true, "{answer}");
    assert_eq!(answer["checks"][0]["ok"], true, "{answer}");
    assert_eq!(answer["counts"]["flops"], 5);
    assert_eq!(answer["counts"]["lines"]["4"]["device"]["stores"]["bytes"], 20);
    let wrong = SCALE.replace("6,8]", "6,9]");
    let answer = ask(&json!({ "op": "run", "source": wrong, "line": 0 }));
    assert_eq!(answer["checks"][0]["ok"], false);
    assert_eq!(answer["checks"][0]["first"]["index"], 4);
}

#[test]
fn bytes_go_in_and_come_out() {
    let request = json!({
        "op": "run", "source": SCALE,
        "launch": { "grid": "2", "threadgroup": "2", "arg.factor": "f32:-1" },
        "buffers": { "x": { "dtype": "f32", "offset": 4, "length": 8 } },
    });
    let data: Vec<u8> = [9.0_f32, 1.0, 2.5].iter().flat_map(|value| value.to_le_bytes()).collect();
    let (answer, bytes) = ask_with(&request, &data);
    assert_eq!(answer["outputs"][0]["text"], "[-1, -2.5]", "{answer}");
    let span = &answer["outputs"][0]["bytes"];
    let offset = span["offset"].as_u64().expect("a number") as usize;
    assert_eq!(bytes[offset..offset + 4], (-1.0_f32).to_le_bytes());
    // Spans outside of the request are refused.
    let (answer, _) = ask_with(&request, &data[..8]);
    assert!(answer["error"].as_str().expect("text").contains("outside of the request"), "{answer}");
}

#[test]
fn a_trace_names_lines_and_is_bounded() {
    let mut request = json!({ "op": "run", "source": SCALE, "line": 0, "trace": {} });
    let (whole, bytes) = ask_with(&request, &[]);
    let trace = &whole["trace"];
    assert_eq!(trace["truncated"], false);
    assert_eq!(trace["threadgroup_size"], json!([4, 1, 1]));
    let places = trace["places"].as_array().expect("a list");
    assert!(places.iter().any(|place| place["line"] == 4 && place["column"] == 3), "{places:?}");
    let length = trace["words"]["length"].as_u64().expect("a number") as usize;
    assert!(length > 0 && length <= bytes.len());
    request["trace"] = json!({ "max_words": 100 });
    let short = ask(&request);
    assert_eq!(short["trace"]["truncated"], true);
    assert!(short["trace"]["words"]["length"].as_u64().expect("a number") <= 400);
    // Watching changes nothing.
    assert_eq!(short["counts"], whole["counts"]);
    request.as_object_mut().expect("an object").remove("trace");
    assert_eq!(ask(&request)["counts"], whole["counts"]);
    assert_eq!(ask(&request)["steps"], whole["steps"]);
}

#[test]
fn mistakes_are_the_compilers_own() {
    let source = SCALE.replace("*= factor;", "*= factr;");
    for op in ["compile", "run"] {
        let answer = ask(&json!({ "op": op, "source": source, "file": "scale.metal" }));
        assert_eq!(answer["ok"], false);
        let start = &answer["diagnostics"][0]["primary"]["place"]["start"];
        assert_eq!((&start["line"], &start["column"]), (&json!(4), &json!(11)), "{answer}");
    }
}

#[test]
fn function_constants_choose_code() {
    let source = "constant bool twice [[function_constant(3)]];
        kernel void k(device int *x) { x[0] = twice ? 2 : 1; }";
    let launch = |value: &str| json!({ "grid": "1", "threadgroup": "1", "arg.x": "zeros:i32[1]", "constant.twice": value });
    for (value, result) in [("true", "[2]"), ("false", "[1]")] {
        let answer = ask(&json!({ "op": "run", "source": source, "launch": launch(value) }));
        assert_eq!(answer["outputs"][0]["text"], result, "{answer}");
    }
    let answer = ask(&json!({ "op": "run", "source": source, "launch": launch("3") }));
    assert_eq!(answer["ok"], false);
}

#[test]
fn hostile_requests_get_answers() {
    for bytes in [&[][..], &[0, 0, 0, 0], &[255, 255, 255, 255], &[2, 0, 0, 0, b'{', b'}']] {
        let answer = call(bytes);
        let (text, _) = frame::split(&answer).expect("a frame");
        let value: Value = serde_json::from_slice(text).expect("JSON");
        assert_eq!(value["ok"], false);
    }
    let launch = |grid: &str, threadgroup: &str| {
        let launch = json!({ "grid": grid, "threadgroup": threadgroup, "arg.x": "zeros:f32[1]", "arg.factor": "f32:1" });
        ask(&json!({ "op": "run", "source": SCALE, "launch": launch }))
    };
    for (grid, threadgroup) in [("4000000000,4000000000,4", "1"), ("1", "2048"), ("0", "1"), ("1", "0")] {
        let answer = launch(grid, threadgroup);
        assert_eq!(answer["ok"], false, "{grid} {threadgroup}: {answer}");
        assert!(answer["error"].is_string());
    }
    // Outside of the buffer: an error with thread and line.
    let answer = launch("2", "2");
    assert!(answer["error"].as_str().expect("text").contains("kernel.metal:4:3"), "{answer}");
}
