//! The same vectors inside workerd: every outcome equals the native one, byte for byte.

use isitstillup_tests::environment::Folder;
use isitstillup_tests::http;
use isitstillup_tests::vectors::Vectors;
use isitstillup_tests::workerd::WorkerdSettings;
use vector_runner::{Batch, Chunking, run_batch};

/// Vectors to one request: workerd takes 100 MB, the longest bodies are made inside.
const BATCH: usize = 100;

#[test]
fn workerd_and_this_machine_agree_to_the_byte() {
    let folder = Folder::new("vectors");
    let workerd = WorkerdSettings::vectors(&folder).start();
    let url = format!("{}/run", workerd.url());
    let vectors = Vectors::load().unwrap_or_else(|error| panic!("{error}")).vectors;
    let mut compared = 0;
    for part in vectors.chunks(BATCH) {
        for chunking in Chunking::ALL {
            let batch = Batch { chunking, vectors: part.to_vec() };
            let body = serde_json::to_vec(&batch).unwrap();
            let answer = http::send("POST", &url, &[("content-type", "application/json")], &body).unwrap();
            assert_eq!(answer.status, 200, "{}\n{}", answer.body, workerd.log());
            let native = run_batch(&batch);
            if answer.body != serde_json::to_string(&native).unwrap() {
                let inside = answer.json();
                let inside = inside.as_array().unwrap();
                for (native, inside) in native.iter().zip(inside) {
                    assert_eq!(serde_json::to_value(native).unwrap(), *inside);
                }
                panic!("workerd writes the same values as other bytes");
            }
            compared += native.len();
        }
    }
    assert_eq!(compared, vectors.len() * Chunking::ALL.len());
}
