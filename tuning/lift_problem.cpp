#include "tuning/lift_problem.hpp"

#include <mutex>

#include "ir/error.hpp"
#include "ir/expr/attributes.hpp"
#include "ir/expr/build.hpp"
#include "runtime/file.hpp"
#include "runtime/native.hpp"
#include "tuning/problem_data.hpp"

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
      r.kind = ArgumentData::Kind::file, r.path = (directory / d.path).string();
      break;
  }
  return r;
}

/// Before anything is computed: the file is there, and of the argument's length.
void check_raw(const LiftData& d, const std::string& path, const Expr& argument) {
  std::error_code error;
  const auto bytes = fs::file_size(path, error);
  if (error)
    throw UserError(d.declared_at + ": the data of " + param_name(argument) + ", " + path +
                    ", cannot be read: " + error.message() + "; its name is relative to the .lift file");
  const std::size_t wanted = bytes_of(argument.type());
  if (bytes != wanted)
    throw UserError(d.declared_at + ": " + path + " has " + std::to_string(bytes) + " bytes, but " +
                    param_name(argument) + " : " + argument.type().str() + " has " + std::to_string(wanted) +
                    "; change the size or the file");
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

PatternProblem load_lift_file(const fs::path& path, const Sizes& given) {
  const LiftFile file(text_of(path), path.string());
  const Sizes sizes = file.values(given);
  const Program numbers = file.program(sizes);  // what is wrong at these sizes is reported at its place
  const auto compile_functions = give_meanings(numbers, path.string());

  ExpressionProblem p;
  p.summary = path.string();
  p.data = data_in(file, numbers, path.parent_path());
  for (const Expr& argument : numbers.arguments) {
    const auto d = file.data().find(param_name(argument));
    if (d != file.data().end() && d->second.kind == LiftData::Kind::raw)
      check_raw(d->second, p.data[d->first].path, argument);
  }
  try {
    p.program = file.program();
    for (const NatAtom* v : size_variables(p.program))
      if (const auto it = sizes.find(v->name); it != sizes.end()) p.sizes.insert(*it);
    with_sizes(p.program, p.sizes);
  } catch (const UserError&) {  // a program that is right at these sizes only
    p.program = numbers, p.sizes.clear();
  }
  PatternProblem made = pattern_of(p);
  made.pattern.before_running = compile_functions;
  return made;
}

}  // namespace lift
