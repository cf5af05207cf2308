// Texts that are kept in files: derivations, sources. read_file, write_file_atomically.
#pragma once

#include "runtime/file.hpp"
