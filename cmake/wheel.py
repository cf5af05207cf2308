"""wheel.py BUILD DIR: writes a wheel of the Python package that BUILD has, into DIR, in seconds and without the network.

`pip wheel .` makes the same one, and compiles everything before. The wheel is for the Python that BUILD was configured with, and
for every Linux with a glibc as new as its symbols ask: its tag is manylinux_2_N (PEP 600), which pip compares with the system's. It brings
the libraries that it links, but for those that all such systems have.
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

# What every manylinux system has, of PEP 600 and auditwheel's policies; gcc's library as new as its glibc.
GIVEN = re.compile(r"lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+)\.so|ld-linux")
SOURCE = pathlib.Path(__file__).resolve().parents[1]


def project(name):
    """A value of pyproject.toml's, as it stands between the quotes."""
    return re.search(rf'^{name} = "(.*)"$', (SOURCE / "pyproject.toml").read_text(), re.M)[1]


def metadata():
    return (f"Metadata-Version: 2.1\nName: liftgen\nVersion: {project('version')}\nSummary: {project('description')}\n"
            f"Requires-Python: {project('requires-python')}\nRequires-Dist: numpy\nDescription-Content-Type: text/markdown\n\n"
            + (SOURCE / "README.md").read_text())


def platform(objects):
    """The tag that says which systems the shared objects load on. Exits where one needs what no wheel may ask for."""
    least, brought = 17, {o.name for o in objects}
    for o in objects:
        dynamic = subprocess.run(["objdump", "-p", o], check=True, capture_output=True, text=True).stdout
        for needed in re.findall(r"NEEDED +(\S+)", dynamic):
            if not GIVEN.match(needed) and needed not in brought:
                sys.exit(f"wheel: {o.name} needs {needed}, which the wheel does not bring")
        least = max([least, *map(int, re.findall(r"GLIBC_2\.(\d+)", dynamic))])
    return f"manylinux_2_{least}_{sysconfig.get_platform().split('-')[-1]}"


def main(build, directory):
    version = project("version")
    python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    info = f"liftgen-{version}.dist-info"
    with tempfile.TemporaryDirectory() as stage:
        subprocess.run(["cmake", "--install", build, "--component", "python_package", "--prefix", stage, "--strip"], check=True,
                       stdout=subprocess.DEVNULL)
        tag = f"{python}-{python}-{platform([f for f in pathlib.Path(stage).rglob('*.so*') if f.is_file()])}"
        files = {str(f.relative_to(stage)): f.read_bytes() for f in sorted(pathlib.Path(stage).rglob("*")) if f.is_file()}
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/LICENSE"] = (SOURCE / "LICENSE").read_bytes()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: liftgen\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    record = "".join(f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}\n"
                     for name, data in files.items())
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    wheel = directory / f"liftgen-{version}-{tag}.whl"
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
