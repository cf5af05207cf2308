#include "runtime/apart_device.hpp"

#include <sys/mman.h>

#include <chrono>
#include <new>
#include <thread>

#include "runtime/found_apart.hpp"
#include "runtime/interrupt.hpp"
#include "runtime/served_device.hpp"
#include "runtime/worker.hpp"

namespace lift {
namespace {

using served::Number;
using served::Shared;
using Clock = std::chrono::steady_clock;

constexpr double kOpeningSeconds = 60;
constexpr double kTransferSeconds = 300;  ///< for any request that runs no kernel
constexpr double kBuildingSeconds = 60;   ///< for a program
constexpr double kGraceSeconds = 2;       ///< for the programs at work, when no more are wanted
constexpr int kMostFailures = 5;          ///< of the device, one after the other
constexpr auto kLongestPause = std::chrono::microseconds(3000);

constexpr const char* kDriver = "the device's driver";
constexpr const char* kCompiler = "the device's compiler";
constexpr const char* kKernel = "the kernel";

double since(Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); }

/// A built program, as the device's process tells of it.
struct Built {
  Number program = 0;
  GridBuild result;  ///< without the program
};

/// The way to the device's process. Kept by the buffers and programs that are there.
class Link {
 public:
  explicit Link(served::Open open) : open_(std::move(open)) {
    void* at = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) throw EnvironmentError("the system refused memory that processes share");
    shared_ = new (at) Shared;
    worker_->hold(&shared_->queueing);
  }
  ~Link() {
    if (worker_->is_here()) forget(served::close, opened_, 0);  // else it ends with its process
    worker_->stop();
    ::munmap(shared_, sizeof(Shared));
  }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  const std::shared_ptr<Worker>& worker() const { return worker_; }
  Shared& shared() { return *shared_; }
  std::recursive_mutex& mutex() { return mutex_; }
  const GridDeviceInfo& info() const { return info_; }
  const std::string& default_options() const { return default_options_; }
  const std::string& timing_source() const { return timing_source_; }

  unsigned generation() {
    const std::lock_guard lock(mutex_);
    const unsigned now = worker_->generation();
    if (now == opened_) return now;
    try {
      const served::Open* open = &open_;
      const std::string answer = worker_->call(
          served::open, bytes_of_value(number()) + bytes_of_value(open) + bytes_of_value(shared_),
          kOpeningSeconds, kDriver);
      Reader in(answer);
      info_ = take_info(in), timing_source_ = in.take_text(), default_options_ = in.rest();
    } catch (const std::exception& error) {
      worker_->stop();
      const bool lost = dynamic_cast<const WorkerLost*>(&error) != nullptr;
      const std::string why = error.what() + std::string(lost ? " when the device was opened" : "");
      if (opened_ > 0 && !interrupted()) throw DeviceLost("the device cannot be opened again: " + why);
      if (lost) throw EnvironmentError(why);
      throw;
    }
    return opened_ = now;
  }

  template <class... Parts>
  std::string ask(double limit_seconds, const char* who, Worker::Task task, const Parts&... parts) {
    const std::lock_guard lock(mutex_);
    (void)generation();
    try {
      return worker_->call(task, (bytes_of_value(number()) + ... + bytes_of_value(parts)), limit_seconds,
                           who);
    } catch (const DeviceLost& lost) {
      worker_->stop();
      if (++failures_ >= kMostFailures) throw;
      throw WorkerLost(WorkerLost::Kind::crashed, std::string(who) + " crashed: " + lost.cause);
    }
  }
  template <class... Parts>
  std::string ask(Worker::Task task, const Parts&... parts) {
    return ask(kTransferSeconds, kDriver, task, parts...);
  }
  template <class Result, class... Parts>
  Result get(Worker::Task task, const Parts&... parts) {
    const std::string answer = ask(task, parts...);
    return Reader(answer).take<Result>();
  }

  double run(served::Run how, int times, const std::string& launches) {
    shared_->queueing = false;
    const std::string answer = ask(limit_seconds_, kKernel, served::run, how, times, launches);
    failures_ = 0;
    return Reader(answer).take<double>();
  }

  /// In the order of the sources. WorkerLost: one of them is too much for the compiler.
  std::vector<Built> build(const std::vector<std::string>& sources, const std::string& options,
                           const std::function<bool(std::size_t)>& on_progress);

  /// Tells the process that something of generation `made` is not needed any more.
  void forget(Worker::Task task, unsigned made, Number what) {
    const std::lock_guard lock(mutex_);
    try {
      if (worker_->is_running() && opened_ == made && worker_->generation() == made) ask(task, what);
    } catch (const std::exception&) {  // the process is gone, and all that it had
    }
  }
  void set_limit(double seconds) { limit_seconds_ = seconds; }

 private:
  Number number() const { return reinterpret_cast<Number>(this); }

  std::shared_ptr<Worker> worker_ = std::make_shared<Worker>(true, false);
  served::Open open_;
  Shared* shared_ = nullptr;
  std::recursive_mutex mutex_;
  unsigned opened_ = 0;  ///< the generation in which the device was opened last
  int failures_ = 0;     ///< of the device, since a run succeeded
  double limit_seconds_ = 0;
  GridDeviceInfo info_;
  std::string timing_source_, default_options_;
};
using LinkPointer = std::shared_ptr<Link>;

std::vector<Built> Link::build(const std::vector<std::string>& sources, const std::string& options,
                               const std::function<bool(std::size_t)>& on_progress) {
  std::string texts;
  for (const std::string& source : sources) texts += bytes_of_text(source);
  // A compiler may crash before this is answered.
  ask(kTransferSeconds, kCompiler, served::build, bytes_of_text(options), sources.size(), texts);
  std::vector<Built> built(sources.size());
  bool stop = false;
  std::size_t before = 0;
  Clock::time_point changed = Clock::now();  // or told to stop
  for (auto pause = std::chrono::microseconds(200);; pause = std::min(2 * pause, kLongestPause)) {
    const std::string answer = ask(kTransferSeconds, kCompiler, served::built, stop);
    Reader in(answer);
    const auto done = in.take<std::size_t>();
    if (in.take<bool>()) {
      for (Built& b : built) {
        b.program = in.take<Number>(), b.result.seconds = in.take<double>();
        b.result.cached = in.take<bool>(), b.result.stopped = in.take<bool>();
        b.result.error = in.take_text();
      }
      return built;
    }
    if (std::exchange(before, done) != done) changed = Clock::now();
    if (!stop && (interrupted() || (on_progress && !on_progress(done)))) stop = true, changed = Clock::now();
    if (since(changed) > (stop ? kGraceSeconds : kBuildingSeconds)) {
      worker_->stop();
      if (!stop)
        throw WorkerLost(WorkerLost::Kind::hung, std::string(kCompiler) + " did not end within a minute");
      for (Built& b : built) b.result.stopped = true;
      return built;
    }
    std::this_thread::sleep_for(pause);
  }
}

struct ApartBuffer final : GridBuffer {
  LinkPointer link;
  unsigned generation;
  Number number;
  std::shared_ptr<const void> shares;
  ApartBuffer(LinkPointer to, Number n, std::size_t bytes, std::shared_ptr<const void> of = nullptr)
      : GridBuffer(bytes),
        link(std::move(to)),
        generation(link->generation()),
        number(n),
        shares(std::move(of)) {}
  ~ApartBuffer() override { link->forget(served::release, generation, number); }
};

/// A program, which is built again where a process does not have it.
class ApartProgram final : public GridProgram, public std::enable_shared_from_this<ApartProgram> {
 public:
  ApartProgram(LinkPointer link, std::string source, std::string options, Number number)
      : link_(std::move(link)),
        source_(std::move(source)),
        options_(std::move(options)),
        generation_(link_->generation()),
        number_(number) {}
  ~ApartProgram() override { link_->forget(served::drop, generation_, number_); }

  GridKernel kernel(const std::string& name) override;
  Number number() {
    const std::lock_guard lock(link_->mutex());
    if (link_->generation() == generation_) return number_;
    const Built again = link_->build({source_}, options_, {}).front();
    if (again.program == 0)
      throw EnvironmentError(again.result.stopped ? "interrupted"
                                                  : "a program cannot be built again: " + again.result.error);
    generation_ = link_->generation();
    return number_ = again.program;
  }

 private:
  LinkPointer link_;
  std::string source_, options_;
  unsigned generation_;
  Number number_;
};

struct ApartKernel final : GridFunction {
  std::shared_ptr<ApartProgram> program;
  ApartKernel(const std::string& called, std::shared_ptr<ApartProgram> of, const GridKernelInfo& info)
      : GridFunction(called), program(std::move(of)) {
    info_ = info;
  }
};

GridKernel ApartProgram::kernel(const std::string& name) {
  const auto info = link_->get<GridKernelInfo>(served::kernel_info, number(), bytes_of_text(name));
  return std::make_shared<ApartKernel>(name, shared_from_this(), info);
}

class ApartDevice final : public GridDevice {
 public:
  explicit ApartDevice(served::Open open) : link_(std::make_shared<Link>(std::move(open))) {
    (void)link_->generation();
    info_ = link_->info();
  }

  std::string default_options() const override { return link_->default_options(); }
  std::string timing_source() const override { return link_->timing_source(); }
  std::shared_ptr<Worker> worker() const override { return link_->worker(); }
  unsigned generation() override { return link_->generation(); }
  void set_limit(double seconds) override { link_->set_limit(seconds); }

 private:
  /// Of a buffer that is still there.
  Number number_of(const GridBuffer& buffer) const {
    const auto& b = static_cast<const ApartBuffer&>(buffer);
    if (b.generation != link_->generation())
      throw InternalError("device: a buffer of a process that has ended");
    return b.number;
  }
  GridMemory memory_of(Number number, std::size_t bytes, std::shared_ptr<const void> shares = nullptr) {
    return std::make_shared<ApartBuffer>(link_, number, bytes, std::move(shares));
  }

  GridBuild result_of(Built built, const std::string& source, const std::string& more) {
    GridBuild result = std::move(built.result);
    if (built.program == 0) return result;
    result.program = std::make_shared<ApartProgram>(link_, source, more, built.program);
    return result;
  }
  GridBuild build_alone(const std::string& source, const std::string& more) {
    try {
      return result_of(link_->build({source}, more, {}).front(), source, more);
    } catch (const WorkerLost& lost) {
      GridBuild result;
      result.error = lost.what();
      return result;
    }
  }
  GridBuild build_one(const std::string& source, const std::string& options) override {
    const std::size_t own = default_options().size();
    return build_alone(source, options.size() > own ? options.substr(own + 1) : "");
  }
  std::vector<GridBuild> build_each(const std::vector<std::string>& sources, const std::string& options,
                                    const Progress& on_progress) override {
    std::vector<GridBuild> results(sources.size());
    std::vector<std::string> missing;
    std::vector<std::size_t> place;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      results[i].program = known(sources[i], options);
      results[i].cached = results[i].program != nullptr;
      if (!results[i].cached) missing.push_back(sources[i]), place.push_back(i);
    }
    if (missing.empty()) return results;
    try {
      std::vector<Built> built = link_->build(missing, options, [&](std::size_t done) {
        return !on_progress || on_progress(sources.size() - missing.size() + done);
      });
      for (std::size_t i = 0; i < missing.size(); ++i)
        results[place[i]] = result_of(std::move(built[i]), missing[i], options);
    } catch (const WorkerLost&) {  // one by one, to see which it was
      for (std::size_t i = 0; i < missing.size(); ++i) {
        if (interrupted() || (on_progress && !on_progress(place[i])))
          results[place[i]].stopped = true;
        else
          results[place[i]] = build_alone(missing[i], options);
      }
    }
    for (std::size_t i = 0; i < missing.size(); ++i)
      if (const auto& program = results[place[i]].program) remember(missing[i], options, program);
    return results;
  }

  GridMemory allocate_bytes(std::size_t bytes) override {
    return memory_of(link_->get<Number>(served::allocate, bytes), bytes);
  }
  GridMemory share_bytes(const std::shared_ptr<const void>& data, std::size_t bytes) override {
    const auto number = link_->get<Number>(served::share, data.get(), bytes);
    return number == 0 ? nullptr : memory_of(number, bytes, data);
  }
  void write_bytes(GridBuffer& to, const void* from, std::size_t bytes, std::size_t offset) override {
    const std::lock_guard lock(link_->mutex());
    for (std::size_t done = 0, part = 0; done < bytes; done += part) {
      part = std::min(bytes - done, Shared::kChunk);
      std::memcpy(link_->shared().chunk, static_cast<const char*>(from) + done, part);
      link_->ask(served::write, number_of(to), offset + done, part);
    }
  }
  void read_bytes(GridBuffer& from, void* to, std::size_t bytes, std::size_t offset) override {
    const std::lock_guard lock(link_->mutex());
    for (std::size_t done = 0, part = 0; done < bytes; done += part) {
      part = std::min(bytes - done, Shared::kChunk);
      link_->ask(served::read, number_of(from), offset + done, part);
      std::memcpy(static_cast<char*>(to) + done, link_->shared().chunk, part);
    }
  }
  void write_all_there(GridBuffer& to, const void* from) override {
    link_->ask(served::write_there, number_of(to), from);
  }
  void read_all_there(GridBuffer& from, void* to) override {
    link_->ask(served::read_there, number_of(from), to);
  }
  const void* contents_of(GridBuffer& of) override {
    return link_->get<const void*>(served::contents, number_of(of));
  }
  void copy_bytes(GridBuffer& to, GridBuffer& from) override {
    link_->ask(served::copy, number_of(to), number_of(from));
  }
  void fill_bytes(GridBuffer& to, const void* pattern, std::size_t pattern_bytes) override {
    link_->ask(served::fill, number_of(to), std::string(static_cast<const char*>(pattern), pattern_bytes));
  }

  double run_all(std::span<const GridLaunch> launches, int times) override {
    return link_->run(served::Run::plainly, times, text_of(launches));
  }
  double time_all(std::span<const GridLaunch> launches, int times) override {
    return link_->run(served::Run::compared, times, text_of(launches));
  }
  double time_all_from_memory(std::span<const GridLaunch> launches, int times) override {
    return link_->run(served::Run::from_memory, times, text_of(launches));
  }
  std::string text_of(std::span<const GridLaunch> launches) const {
    std::string text = bytes_of_value(launches.size());
    for (const GridLaunch& launch : launches) {
      const auto& kernel = static_cast<const ApartKernel&>(*launch.kernel);
      text += bytes_of_value(kernel.program->number()) + bytes_of_text(kernel.name()) +
              bytes_of_value(launch.global) + bytes_of_value(launch.local) + bytes_of_value(launch.dims) +
              bytes_of_value(launch.local_bytes) + bytes_of_value(launch.args.size());
      for (const GridArg& arg : launch.args) {
        text += bytes_of_value(arg.kind());
        if (arg.kind() == GridArg::Kind::Memory)
          text += bytes_of_value(number_of(*arg.memory()));
        else
          text += bytes_of_value(arg.bytes());
        if (arg.kind() == GridArg::Kind::Value)
          text.append(static_cast<const char*>(arg.value()), sizeof(std::array<unsigned char, 8>));
      }
    }
    return text;
  }

  LinkPointer link_;
};

}  // namespace

std::shared_ptr<GridDevice> open_apart(std::function<std::unique_ptr<GridDevice>()> open, bool in_use) {
  if (in_use || !Worker::is_possible()) return open();
  return std::make_shared<ApartDevice>(std::move(open));
}

}  // namespace lift
