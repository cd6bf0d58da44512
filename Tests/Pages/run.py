"""Runs the modules named on the command line, or all; the last line counts."""

import importlib
import pathlib
import sys
import traceback

import harness

HERE = pathlib.Path(__file__).parent
NOT_TESTS = {"harness", "run"}


def main():
    words = sys.argv[1:]
    modules = sorted(file.stem for file in HERE.glob("*.py") if file.stem not in NOT_TESTS)
    chosen = [name for name in modules if not words or name in words] or modules
    filters = [word for word in words if word not in modules]
    passed, failures = 0, []
    for name in chosen:
        module = importlib.import_module(name)
        tests = [(key, test) for key, test in vars(module).items() if key.startswith("test_")]
        tests = [(key, test) for key, test in tests if not filters or any(word in key for word in filters)]
        server = harness.Server(getattr(module, "ARGUMENTS", ()), getattr(module, "prepare", None))
        try:
            getattr(module, "begin", lambda server: None)(server)
            for key, test in tests:
                title = f"{name}: {key.removeprefix('test_').replace('_', ' ')}"
                stage = harness.Stage(server)
                try:
                    test(stage)
                    print(f"ok      {title}", flush=True)
                    passed += 1
                except Exception as error:
                    print(f"FAILED  {title}", flush=True)
                    text = str(error) if isinstance(error, harness.Failure) else traceback.format_exc()
                    print("        " + text.replace("\n", "\n        "), flush=True)
                    failures.append(title)
                finally:
                    stage.close()
            if server.errors():
                print(f"FAILED  {name}: the server met errors of its own: {server.errors()[:3]}")
                failures.append(name)
        finally:
            server.stop()
    print(f"{passed} passed, {len(failures)} failed")
    return 1 if failures or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
