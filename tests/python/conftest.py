import pytest


@pytest.fixture
def database(tmp_path):
    """A database of a test's own: the user's is left out of all tests."""
    return tmp_path / "found.db"
