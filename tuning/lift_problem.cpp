#include "tuning/lift_problem.hpp"

#include <algorithm>
#include <mutex>
#include <optional>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "runtime/file.hpp"
#include "runtime/native.hpp"
#include "runtime/npy.hpp"
#include "tuning/data_files.hpp"

namespace lift {
namespace {

namespace fs = std::filesystem;

const char* c_type(const Type& t) {
  switch (t.scalar()) {
    case Scalar::f32:
      return "float";
    case Scalar::f64:
      return "double";
    case Scalar::i32:
      return "int";
    case Scalar::i64:
      return "long";
    case Scalar::u8:
      return "unsigned char";
    case Scalar::u16:
    case Scalar::i16:
    case Scalar::boolean:
      break;
  }
  return "_Bool";
}

/// A C function called from the interpreter.
class CompiledFunction {
 public:
  CompiledFunction(Attr attr, std::string file) : attr_(std::move(attr)), file_(std::move(file)) {}
  double operator()(std::span<const double> x) {
    compile();
    return library_->function<double(const double*)>("lift_user_meaning")(x.data());
  }
  void compile() {
    const std::lock_guard lock(mutex_);
    if (library_) return;
    const std::string& name = user_name(attr_);
    std::string parameters, arguments;
    for (std::size_t i = 0; i < user_types(attr_).size(); ++i) {
      const std::string type = c_type(user_types(attr_)[i]), separator = i > 0 ? ", " : "";
      parameters += separator + type + " " + user_parameters(attr_)[i];
      arguments += separator + "(" + type + ")x[" + std::to_string(i) + "]";
    }
    NativeSource source;
    source.code = "#include <math.h>\nstatic " + std::string(c_type(user_result(attr_))) + " " + name + "(" +
                  (parameters.empty() ? "void" : parameters) + ") {\n" + user_body(attr_) +
                  "\n}\ndouble lift_user_meaning(const double *x) { (void)x; return (double)" + name + "(" +
                  arguments + "); }\n";
    source.flags = {"-O1", "-ffp-contract=off"};
    const CompileResult r = NativeCompiler().compile(source);
    if (!r.library)
      throw UserError(file_ + ": the C text of user function '" + name + "' does not compile: " + r.error);
    library_ = r.library;
  }

 private:
  const Attr attr_;
  const std::string file_;
  std::mutex mutex_;
  std::shared_ptr<NativeLibrary> library_;
};

ArgumentData data_of(const LiftData& d, const fs::path& directory) {
  ArgumentData r;
  r.low = d.low, r.high = d.high, r.seed = d.seed;
  switch (d.kind) {
    case LiftData::Kind::number:
      r.kind = ArgumentData::Kind::constant;
      break;
    case LiftData::Kind::wave:
      r.kind = ArgumentData::Kind::smooth;
      break;
    case LiftData::Kind::random:
      r.kind = ArgumentData::Kind::uniform;
      break;
    case LiftData::Kind::raw:
    case LiftData::Kind::npy:
      r.kind = d.kind == LiftData::Kind::raw ? ArgumentData::Kind::file : ArgumentData::Kind::npy;
      r.path = (directory / d.path).string();
      break;
  }
  return r;
}

/// The files that arguments come from: those `given`, else those declared.
DataFiles files_of(const LiftFile& file, const Program& program, const fs::path& directory,
                   const std::map<std::string, fs::path>& given) {
  DataFiles files;
  for (const auto& [name, d] : file.data())
    if (d.kind == LiftData::Kind::raw || d.kind == LiftData::Kind::npy)
      files[name] = {directory / d.path, d.kind == LiftData::Kind::npy, d.declared_at,
                     "; its name is relative to the .lift file"};
  std::string all;
  for (const Expr& argument : program.arguments) all += (all.empty() ? "" : ", ") + param_name(argument);
  for (const auto& [name, path] : given) {
    const std::string option = "--input " + name + "=" + path.string();
    if (std::none_of(program.arguments.begin(), program.arguments.end(),
                     [&, n = name](const Expr& a) { return param_name(a) == n; }))
      throw UserError(option + ": the program has no argument '" + name + "'; its arguments are " + all);
    files[name] = {path, is_npy(path), option};
  }
  return files;
}

/// Over its sizes; nothing where it is right at certain ones only, for the reason `why_not`.
std::optional<Program> symbolic(const LiftFile& file, std::string& why_not) {
  try {
    return file.program();
  } catch (const UserError& error) {
    why_not = error.what();
    return std::nullopt;
  }
}

}  // namespace

std::function<void()> give_meanings(const Program& p, const std::string& file) {
  std::vector<std::shared_ptr<CompiledFunction>> all;
  for (const auto& [name, attr] : names_of(p.body).functions) {
    std::vector<UserParameter> parameters;
    for (std::size_t i = 0; i < user_types(attr).size(); ++i)
      parameters.push_back({user_parameters(attr)[i], user_types(attr)[i].scalar()});
    all.push_back(std::make_shared<CompiledFunction>(attr, file));
    UserFun(name, std::move(parameters), user_result(attr).scalar(), user_body(attr),
            [compiled = all.back()](std::span<const double> x) { return (*compiled)(x); });
  }
  return [all] {
    for (const auto& function : all) function->compile();
  };
}

std::map<std::string, ArgumentData> data_in(const LiftFile& file, const Program& program,
                                            const fs::path& directory) {
  std::map<std::string, ArgumentData> all;
  for (const Expr& argument : program.arguments)
    if (const auto d = file.data().find(param_name(argument)); d != file.data().end())
      all[d->first] = data_of(d->second, directory);
  return all;
}

constexpr std::uintmax_t kMostBytes = std::uintmax_t{16} << 20;  ///< of a program's text

std::string text_of(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_character_file(status) || fs::is_block_file(status))
    throw UserError("cannot read " + path.string() + ": it is a device, no file");
  if (const auto bytes = fs::file_size(path, error); !error && bytes > kMostBytes)
    throw UserError("cannot read " + path.string() + ": no program is larger than " +
                    std::to_string(kMostBytes >> 20) + " MiB");
  return read_file(path);
}

PatternProblem load_lift_file(const fs::path& path, Sizes& sizes,
                              const std::map<std::string, fs::path>& inputs) {
  const LiftFile file(text_of(path), path.string());
  ExpressionProblem p;
  const std::optional<Program> any = symbolic(file, p.why_not_symbolic);
  if (any) sizes = sizes_of_files(*any, files_of(file, *any, path.parent_path(), inputs), sizes);
  const Sizes values = file.values(sizes);
  const Program numbers = file.program(values);  // what is wrong at these sizes is reported at its place
  const auto compile_functions = give_meanings(numbers, path.string());

  p.summary = path.string();
  p.data = data_in(file, numbers, path.parent_path());
  const DataFiles files = files_of(file, numbers, path.parent_path(), inputs);
  for (const Expr& argument : numbers.arguments)
    if (const auto f = files.find(param_name(argument)); f != files.end()) {
      check_data_file(f->second, argument);
      ArgumentData& data = p.data[f->first];
      data.kind = f->second.npy ? ArgumentData::Kind::npy : ArgumentData::Kind::file;
      data.path = f->second.path.string();
    }
  try {
    p.program = any ? *any : numbers;
    for (const NatAtom* v : size_variables(p.program))
      if (const auto it = values.find(v->name); it != values.end()) p.sizes.insert(*it);
    with_sizes(p.program, p.sizes);
  } catch (const UserError& error) {  // a program that is right at these sizes only
    p.program = numbers, p.sizes.clear(), p.why_not_symbolic = error.what();
  }
  PatternProblem made = pattern_of(p);
  made.pattern.before_running = compile_functions;
  return made;
}

PatternProblem load_lift_file(const fs::path& path, const Sizes& given) {
  Sizes sizes = given;
  return load_lift_file(path, sizes, {});
}

}  // namespace lift
