"""Multiplies a tensor by the parameter `factor` of config.pbtxt."""

import json

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        parameters = json.loads(args["model_config"])["parameters"]
        self.factor = np.float32(parameters["factor"]["string_value"])
        print(f"scale: the factor is {self.factor}", flush=True)

    def execute(self, requests):
        return [self.respond(request) for request in requests]

    def respond(self, request):
        data = pb_utils.get_input_tensor_by_name(request, "data").as_numpy()
        return pb_utils.InferenceResponse(output_tensors=[pb_utils.Tensor("scaled", data * self.factor)])
