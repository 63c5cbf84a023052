"""Writes the network as ONNX: `features` [N, 20] → `quantiles` [N, 8], clip and normalisation inside."""

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper

import columns as col
from network import OUTPUTS, SCALE

OPSET = 13
IR_VERSION = 8


def _constants(network):
    values = {
        "low": network.low,
        "high": network.high,
        "mean": network.mean,
        "inverse_std": network.inverse_std,
        "scale": SCALE,
        "from_0": np.array([0]),
        "from_4": np.array([OUTPUTS]),
        "to_8": np.array([2 * OUTPUTS]),
        "axis_1": np.array([1]),
        "axis_2": np.array([2]),
        "pairs": np.array([-1, 2 * OUTPUTS]),
    }
    for layer, (weight, bias) in enumerate(zip(network.weights, network.biases)):
        values[f"weight_{layer}"] = weight
        values[f"bias_{layer}"] = bias
    return [numpy_helper.from_array(np.ascontiguousarray(value), name) for name, value in values.items()]


def _nodes(layers):
    node = helper.make_node
    yield node("Max", ["features", "low"], ["above_low"])
    yield node("Min", ["above_low", "high"], ["clipped"])
    yield node("Sub", ["clipped", "mean"], ["centred"])
    yield node("Mul", ["centred", "inverse_std"], ["hidden_0"])
    for layer in range(layers):
        last = layer == layers - 1
        yield node("Gemm", [f"hidden_{layer}", f"weight_{layer}", f"bias_{layer}"], ["raw" if last else f"linear_{layer}"])
        if not last:
            yield node("Relu", [f"linear_{layer}"], [f"hidden_{layer + 1}"])
    yield node("Softplus", ["raw"], ["positive"])
    yield node("Slice", ["positive", "from_0", "from_4", "axis_1"], ["median"])
    yield node("Slice", ["positive", "from_4", "to_8", "axis_1"], ["distance"])
    yield node("Mul", ["median", "scale"], ["p50"])
    yield node("Mul", ["distance", "scale"], ["gap"])
    yield node("Add", ["p50", "gap"], ["p90"])
    yield node("Unsqueeze", ["p50", "axis_2"], ["p50_column"])
    yield node("Unsqueeze", ["p90", "axis_2"], ["p90_column"])
    yield node("Concat", ["p50_column", "p90_column"], ["paired"], axis=2)
    yield node("Reshape", ["paired", "pairs"], ["quantiles"])


def export(network, path):
    graph = helper.make_graph(
        list(_nodes(len(network.weights))),
        "delivery_time",
        [helper.make_tensor_value_info("features", TensorProto.FLOAT, ["N", col.FEATURES])],
        [helper.make_tensor_value_info("quantiles", TensorProto.FLOAT, ["N", 2 * OUTPUTS])],
        _constants(network),
    )
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION, producer_name="roundhouse"
    )
    checker.check_model(model, full_check=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(model.SerializeToString(deterministic=True))
