"""wheel.py BUILD DIR: writes a wheel of the Python package that BUILD has, into DIR, in seconds and without the network.

`pip wheel .` makes the same one, and compiles everything before. The wheel is for the Python that BUILD was configured with, and
for Linux with this glibc or a later one: its tag is linux_*, because libstdc++ and glibc are those of the building machine;
`auditwheel repair` gives a manylinux tag where it was built on an older system.
"""

import base64
import hashlib
import pathlib
import re
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parents[1]


def project(name):
    """A value of pyproject.toml's, as it stands between the quotes."""
    return re.search(rf'^{name} = "(.*)"$', (SOURCE / "pyproject.toml").read_text(), re.M)[1]


def metadata():
    return (f"Metadata-Version: 2.1\nName: liftgen\nVersion: {project('version')}\nSummary: {project('description')}\n"
            f"Requires-Python: {project('requires-python')}\nRequires-Dist: numpy\nDescription-Content-Type: text/markdown\n\n"
            + (SOURCE / "README.md").read_text())


def main(build, directory):
    version = project("version")
    python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    tag = f"{python}-{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    wheel = directory / f"liftgen-{version}-{tag}.whl"
    info = f"liftgen-{version}.dist-info"
    with tempfile.TemporaryDirectory() as stage:
        subprocess.run(["cmake", "--install", build, "--component", "python_package", "--prefix", stage, "--strip"], check=True,
                       stdout=subprocess.DEVNULL)
        files = {str(f.relative_to(stage)): f.read_bytes() for f in sorted(pathlib.Path(stage).rglob("*")) if f.is_file()}
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/LICENSE"] = (SOURCE / "LICENSE").read_bytes()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: liftgen\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    record = "".join(f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}\n"
                     for name, data in files.items())
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    beside = wheel.with_suffix(".part")
    with zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o100644 << 16
            archive.writestr(entry, data)
    beside.rename(wheel)
    print(wheel)


if __name__ == "__main__":
    main(*sys.argv[1:])
