"""Uses an engine as any Triton user would, with NVIDIA's own client. Prints one JSON object.

python engine_client.py HOST:PORT MODEL        the calls
python engine_client.py --descriptors          messages of the client's protocol: {message: {field: number}}
"""

import json
import sys
import time

import numpy as np
import tritonclient.grpc as grpcclient
from tritonclient.grpc import model_config_pb2, service_pb2
from tritonclient.utils import InferenceServerException


def message_fields(message, found):
    found[message.full_name] = {field.name: field.number for field in message.fields}
    for nested in message.nested_types:
        message_fields(nested, found)


def descriptors():
    found = {}
    for file in (service_pb2.DESCRIPTOR, model_config_pb2.DESCRIPTOR):
        for message in file.message_types_by_name.values():
            message_fields(message, found)
        for enum in file.enum_types_by_name.values():
            found[enum.full_name] = {value.name: value.number for value in enum.values}
    return found


def inputs_of(values):
    data = grpcclient.InferInput("data", [1, len(values)], "INT32")
    data.set_data_from_numpy(np.array([values], dtype=np.int32))
    control = grpcclient.InferInput("control", [1, 2], "INT32")
    control.set_data_from_numpy(np.zeros((1, 2), dtype=np.int32))
    return [data, control]


def refusal(call):
    try:
        call()
    except InferenceServerException as error:
        return error.status()
    return "no error"


def wait_until(condition):
    end = time.monotonic() + 10
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


def exercise(client, model):
    seen = {
        "live": client.is_server_live(),
        "ready": client.is_server_ready(),
        "modelReady": client.is_model_ready(model),
        "server": client.get_server_metadata(as_json=True)["name"],
        "inputs": [tensor["name"] for tensor in client.get_model_metadata(model, as_json=True)["inputs"]],
        "backend": client.get_model_config(model).config.backend,
        "index": [entry.name for entry in client.get_model_repository_index().models],
    }
    result = client.infer(model, inputs_of([1, 2, 39]), request_id="python")
    seen["sum"] = int(result.as_numpy("sum")[0][0])
    seen["data"] = result.as_numpy("data").tolist()
    seen["id"] = result.get_response().id
    seen["statistics"] = client.get_inference_statistics(model).model_stats[0].inference_count
    client.unload_model(model)
    seen["unloaded"] = wait_until(lambda: not client.is_model_ready(model))
    seen["afterUnload"] = refusal(lambda: client.infer(model, inputs_of([1])))
    client.load_model(model)
    seen["loadedAgain"] = client.is_model_ready(model)
    seen["unknownModel"] = refusal(lambda: client.infer("nobody", inputs_of([1])))
    seen["badShape"] = refusal(lambda: client.infer(model, inputs_of([1])[:1]))
    return seen


if __name__ == "__main__":
    if sys.argv[1] == "--descriptors":
        print(json.dumps(descriptors()))
    else:
        with grpcclient.InferenceServerClient(sys.argv[1]) as triton:
            print(json.dumps(exercise(triton, sys.argv[2])))
