"""Adds two tensors: the least that a model of Triton's Python backend is."""

import triton_python_backend_utils as pb_utils


def array_of(request, name):
    return pb_utils.get_input_tensor_by_name(request, name).as_numpy()


class TritonPythonModel:
    def execute(self, requests):
        responses = []
        for request in requests:
            a, b = array_of(request, "a"), array_of(request, "b")
            if a.shape != b.shape:
                error = pb_utils.TritonError(f"a has the shape {list(a.shape)}, b has {list(b.shape)}")
                responses.append(pb_utils.InferenceResponse(error=error))
                continue
            total = pb_utils.Tensor("sum", a + b)
            responses.append(pb_utils.InferenceResponse(output_tensors=[total]))
        return responses
