"""Uses a worker's HTTP port as any Triton user would, with NVIDIA's own client. Prints one JSON object.

python http_client.py HOST:PORT
"""

import json
import secrets
import sys

import numpy as np
import tritonclient.http as httpclient
import tritonclient.utils.shared_memory as shm

from refusals import refusal, wait_until


def inputs_of(values, binary=True):
    data = httpclient.InferInput("data", [1, len(values)], "INT32")
    data.set_data_from_numpy(np.array([values], dtype=np.int32), binary_data=binary)
    control = httpclient.InferInput("control", [1, 2], "INT32")
    control.set_data_from_numpy(np.zeros((1, 2), dtype=np.int32), binary_data=binary)
    return [data, control]


def sum_of(client, values, binary, **options):
    return int(client.infer("echo", inputs_of(values, binary), **options).as_numpy("sum")[0][0])


def exercise(client):
    seen = {
        "live": client.is_server_live(),
        "ready": client.is_server_ready(),
        "modelReady": client.is_model_ready("echo"),
        "nobodyReady": client.is_model_ready("nobody"),
        "server": client.get_server_metadata()["name"],
        "inputs": [tensor["name"] for tensor in client.get_model_metadata("echo")["inputs"]],
        "maxBatch": client.get_model_config("echo")["max_batch_size"],
        "index": sorted(entry["name"] for entry in client.get_model_repository_index()),
    }
    text_out = [httpclient.InferRequestedOutput("sum", binary_data=False)]
    seen["binary"] = sum_of(client, [1, 2, 39], True, request_id="python")
    seen["json"] = sum_of(client, [1, 2, 39], False, outputs=text_out)
    seen["mixed"] = sum_of(client, [1, 2, 39], True, outputs=text_out)
    seen["gzip"] = sum_of(client, [1, 2, 39], True, request_compression_algorithm="gzip")
    seen["deflate"] = sum_of(client, [1, 2, 39], False, request_compression_algorithm="deflate")
    seen["statistics"] = client.get_inference_statistics("echo")["model_stats"][0]["inference_count"]
    client.unload_model("echo")
    seen["unloaded"] = wait_until(lambda: not client.is_model_ready("echo"))
    seen["afterUnload"] = refusal(lambda: client.infer("echo", inputs_of([1])))
    client.load_model("echo")
    seen["loadedAgain"] = client.is_model_ready("echo")
    seen["unknownModel"] = refusal(lambda: client.infer("nobody", inputs_of([1])))
    seen["badShape"] = refusal(lambda: client.infer("echo", inputs_of([1])[:1]))
    return seen


def exercise_parameters(client):
    data = httpclient.InferInput("IN", [3], "UINT8")
    data.set_data_from_numpy(np.array([1, 2, 3], dtype=np.uint8))
    result = client.infer(
        "fault_injection", [data], priority=2, timeout=5_000_000, parameters={"fail": "told to fail"}
    )
    return result


def exercise_shared_memory(client):
    key = "/roundhouse-test-" + secrets.token_hex(16)
    region = shm.create_shared_memory_region("region", key, 64)
    seen = {}
    try:
        shm.set_shared_memory_region(region, [np.array([[1, 2, 39]], np.int32), np.zeros((1, 2), np.int32)])
        client.register_system_shared_memory("region", key, 64)
        seen["status"] = [entry["byte_size"] for entry in client.get_system_shared_memory_status()]
        data, control = inputs_of([0, 0, 0])
        data.set_shared_memory("region", 12, 0)
        control.set_shared_memory("region", 8, 12)
        echoed = httpclient.InferRequestedOutput("data")
        echoed.set_shared_memory("region", 32, 32)
        outputs = [echoed, httpclient.InferRequestedOutput("sum")]
        seen["sum"] = int(client.infer("echo", [data, control], outputs=outputs).as_numpy("sum")[0][0])
        seen["echoed"] = shm.get_contents_as_numpy(region, np.int32, [1, 3], 32).tolist()
        data.set_shared_memory("nobody", 12, 0)
        seen["unknown"] = refusal(lambda: client.infer("echo", [data, control]))
        client.unregister_system_shared_memory("region")
        seen["left"] = len(client.get_system_shared_memory_status())
    finally:
        shm.destroy_shared_memory_region(region)
    return seen


if __name__ == "__main__":
    triton = httpclient.InferenceServerClient(sys.argv[1], network_timeout=20)
    report = exercise(triton)
    report["sharedMemory"] = exercise_shared_memory(triton)
    report["failed"] = refusal(lambda: exercise_parameters(triton))
    print(json.dumps(report))
