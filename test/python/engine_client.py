"""Uses an engine as any Triton user would, with NVIDIA's own client. Prints one JSON object.

python engine_client.py HOST:PORT MODEL        the calls
python engine_client.py HOST:PORT MODEL --shared-memory
python engine_client.py unix:ENGINE MODEL --region-in-use
python engine_client.py --descriptors          messages of the client's protocol: {message: {field: number}}
"""

import json
import secrets
import sys

import grpc
import numpy as np
import tritonclient.grpc as grpcclient
import tritonclient.utils.shared_memory as shm
from tritonclient.grpc import model_config_pb2, service_pb2
from tritonclient.utils import InferenceServerException

from refusals import refusal, wait_until


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


def inputs_of(values, operation=(0, 0)):
    data = grpcclient.InferInput("data", [1, len(values)], "INT32")
    data.set_data_from_numpy(np.array([values], dtype=np.int32))
    control = grpcclient.InferInput("control", [1, 2], "INT32")
    control.set_data_from_numpy(np.array([operation], dtype=np.int32))
    return [data, control]


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
    seen["priority"] = int(client.infer(model, inputs_of([7]), priority=1).as_numpy("sum")[0][0])
    # The model would sleep for ten minutes; 0.1 s is left.
    asleep = inputs_of([1], (1, 600_000))
    seen["timeout"] = refusal(lambda: client.infer(model, asleep, timeout=100_000))
    client.unload_model(model)
    seen["unloaded"] = wait_until(lambda: not client.is_model_ready(model))
    seen["afterUnload"] = refusal(lambda: client.infer(model, inputs_of([1])))
    client.load_model(model)
    seen["loadedAgain"] = client.is_model_ready(model)
    seen["unknownModel"] = refusal(lambda: client.infer("nobody", inputs_of([1])))
    seen["badShape"] = refusal(lambda: client.infer(model, inputs_of([1])[:1]))
    return seen


def exercise_shared_memory(client, model):
    """Inputs and one output in POSIX shared memory, made and read by the client's own utilities."""
    key = "/roundhouse-test-" + secrets.token_hex(16)
    values = np.array([[1, 2, 39]], dtype=np.int32)
    control = np.zeros((1, 2), dtype=np.int32)
    region = shm.create_shared_memory_region("region", key, 64)
    seen = {}
    try:
        shm.set_shared_memory_region(region, [values, control])
        client.register_system_shared_memory("region", key, 64)
        status = client.get_system_shared_memory_status(as_json=True)
        seen["status"] = {name: int(entry["byte_size"]) for name, entry in status["regions"].items()}
        data = grpcclient.InferInput("data", [1, 3], "INT32")
        data.set_shared_memory("region", 12, 0)
        second = grpcclient.InferInput("control", [1, 2], "INT32")
        second.set_shared_memory("region", 8, 12)
        echoed = grpcclient.InferRequestedOutput("data")
        echoed.set_shared_memory("region", 32, 32)
        result = client.infer(model, [data, second], outputs=[echoed, grpcclient.InferRequestedOutput("sum")])
        seen["sum"] = int(result.as_numpy("sum")[0][0])
        seen["echoed"] = shm.get_contents_as_numpy(region, np.int32, [1, 3], 32).tolist()
        data.set_shared_memory("region", 12, 60)
        seen["outside"] = refusal(lambda: client.infer(model, [data, second]))
        data.set_shared_memory("nobody", 12, 0)
        seen["unknown"] = refusal(lambda: client.infer(model, [data, second]))
        seen["twice"] = refusal(lambda: client.register_system_shared_memory("region", key, 64))
        seen["tooLong"] = refusal(lambda: client.register_system_shared_memory("long", key, 65))
        seen["overflow"] = refusal(
            lambda: client.register_system_shared_memory("long", key, 2**64 - 1, 2)
        )
        client.unregister_system_shared_memory("region")
        seen["left"] = len(client.get_system_shared_memory_status().regions)
    finally:
        shm.destroy_shared_memory_region(region)
    return seen


def varints(data):
    value = shift = 0
    for byte in data:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            yield value
            value = shift = 0


def requests_in_core(address):
    """Field 3 of AdmissionStatistics (schemas/proto/engine.proto); numbers alone stand before it."""
    with grpc.insecure_channel(address) as channel:
        numbers = varints(channel.unary_unary("/roundhouse.engine.v1.Engine/Admission")(b""))
        for tag in numbers:
            if tag >> 3 >= 3:
                return next(numbers) if tag >> 3 == 3 else 0
            next(numbers)
    return 0


def exercise_region_in_use(client, model, address):
    """A region that a request reads from isn't let go, and no answer tells its name or key."""
    key = "/roundhouse-test-" + secrets.token_hex(16)
    name = "secret-" + secrets.token_hex(8)
    region = shm.create_shared_memory_region(name, key, 64)
    texts = []

    def refused(call):
        try:
            call()
        except InferenceServerException as error:
            texts.append(str(error))
            return error.status()
        return "no error"

    seen = {}
    try:
        client.register_system_shared_memory(name, key, 64)
        data = grpcclient.InferInput("data", [1, 3], "INT32")
        data.set_shared_memory(name, 12, 0)
        # The model would sleep for ten minutes.
        asleep = inputs_of([1], (1, 600_000))[1]
        running = client.async_infer(model, [data, asleep], lambda result, error: None)
        seen["running"] = wait_until(lambda: requests_in_core(address) == 1)
        seen["unregister"] = refused(lambda: client.unregister_system_shared_memory(name))
        seen["unregisterAll"] = refused(lambda: client.unregister_system_shared_memory())
        seen["again"] = refused(lambda: client.register_system_shared_memory(name, key, 64))
        seen["outside"] = refused(lambda: client.register_system_shared_memory("other", key, 65))
        running.cancel()
        busy = "StatusCode.RESOURCE_EXHAUSTED"
        wait_until(lambda: refused(lambda: client.unregister_system_shared_memory(name)) != busy)
        seen["left"] = len(client.get_system_shared_memory_status().regions)
        seen["unknown"] = refused(lambda: client.infer(model, [data, inputs_of([1])[1]]))
        seen["named"] = [text for text in texts if name in text or key.strip("/") in text]
    finally:
        shm.destroy_shared_memory_region(region)
    return seen


if __name__ == "__main__":
    if sys.argv[1] == "--descriptors":
        print(json.dumps(descriptors()))
    else:
        with grpcclient.InferenceServerClient(sys.argv[1]) as triton:
            if "--region-in-use" in sys.argv:
                print(json.dumps(exercise_region_in_use(triton, sys.argv[2], sys.argv[1])))
            else:
                calls = exercise_shared_memory if "--shared-memory" in sys.argv else exercise
                print(json.dumps(calls(triton, sys.argv[2])))
