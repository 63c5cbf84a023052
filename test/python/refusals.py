"""What both clients' scripts ask of a server."""

import time

from tritonclient.utils import InferenceServerException


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
