// What the database keeps: for a program, on a platform, the fastest derivation that exploring has found.
//
// A record holds no code. What is made of it is a derivation, and that only by the rules: each step either
// applies to the program that the user has, and keeps its meaning, or is refused.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lift {

/// What is computed. Two programs that differ only in the names of arguments, sizes and results are one.
struct ProgramKey {
  std::string expression;  ///< hash of the program over its sizes, see program_key.hpp; 32 hexadecimal digits
  std::vector<std::int64_t> sizes = {};      ///< in the order in which the program mentions them
  std::vector<std::string> size_names = {};  ///< for people; one a size
  friend bool operator==(const ProgramKey& a, const ProgramKey& b) {
    return a.expression == b.expression && a.sizes == b.sizes;
  }
};

/// Where and by what it is computed: what a time depends on beside the program.
struct Platform {
  std::string backend;       ///< "openmp", "opencl", "cuda"
  std::string device;        ///< the processor's or GPU's name; "" when there is none here to ask
  std::string architecture;  ///< what devices whose kernels are alike share: "avx2", "NVIDIA CUDA sm_90"
  std::string compiler;      ///< with its flags; of a device its driver's version
  std::string rules;         ///< see rules_version()
  int threads = 0;           ///< of processors; 0 for GPUs
  friend bool operator==(const Platform&, const Platform&) = default;
};

struct Record {
  ProgramKey program;
  Platform platform;
  bool caller_layout = true;  ///< all arrays lie as the caller has them
  std::string type;           ///< of the results: "f64"
  std::string name;           ///< the program's, for people
  std::string text;           ///< the program over its sizes, for people
  std::string variant;        ///< what the derivation is called in reports
  std::string parameters;     ///< the configuration that led to it, "name=setting" one a line
  std::string derivation;     ///< one step a line; see parse_derivation
  std::string layout;         ///< "" is the caller's
  int sweeps = 1;             ///< half-sweeps a call
  double ms = 0;              ///< median of one application, as in Variant
  double speedup = 0;         ///< over the plain loops of the same run; 0: none were measured
  double roofline = 0;        ///< the traffic twin's time of the same run / ms; 0: it was not measured
  std::int64_t when = 0;      ///< seconds since 1970, UTC
  std::int64_t id = 0;        ///< in its database; 0 outside
};

/// Why a record cannot be one of ours: "" when it can. Names the field. What comes from files of others is
/// held against this before it is stored or used.
std::string fault_of(const Record& r);

/// Whether `a` counts as faster than `b`: by the share of the roofline reached, which a machine that is
/// disturbed moves least; by ms where one of them has none.
bool faster(const Record& a, const Record& b);

/// "n = 64, boxes = 64"; "" without sizes.
std::string size_text(const ProgramKey& key);
/// "2026-11-23 09:12", UTC.
std::string time_text(std::int64_t when);

}  // namespace lift
