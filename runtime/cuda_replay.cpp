#include "runtime/cuda_replay.hpp"

#include <algorithm>

namespace lift::cuda {
namespace {

constexpr std::size_t kKept = 16;  ///< chains: those of a cycle's legs, where arrays take turns

Status submit_all(Stream to, const std::vector<CudaLaunch>& launches) {
  for (const CudaLaunch& launch : launches)
    if (const Status status = submit(to, launch); status != kSuccess) return status;
  return kSuccess;
}

}  // namespace

Status submit(Stream to, const CudaLaunch& launch) {
  std::vector<void*> parameters;
  for (const std::uint64_t& p : launch.parameters) parameters.push_back(const_cast<std::uint64_t*>(&p));
  const auto& [gx, gy, gz] = launch.groups;
  const auto& [x, y, z] = launch.items;
  return api().launch(launch.function, gx, gy, gz, x, y, z, launch.local_bytes, to, parameters.data(),
                      nullptr);
}

/// The stream's launches go into a graph instead of to the device. False where the driver does not want that:
/// then nothing has been launched.
bool Replay::capture(Stream stream, Chain& chain) {
  constexpr int kOfThisThread = 1;
  if (api().capture_begin(stream, kOfThisThread) != kSuccess) return false;
  const Status launched = submit_all(stream, chain.launches);
  Graph graph = nullptr;
  const Status ended = api().capture_end(stream, &graph);
  bool good = launched == kSuccess && ended == kSuccess;
  good = good && api().graph_instantiate(&chain.graph, graph, 0) == kSuccess;
  if (graph != nullptr) api().graph_destroy(graph);
  return good;
}

Status Replay::run(Stream stream, std::vector<CudaLaunch> chain) {
  if (chain.size() < 2 || !api().has_graphs) return submit_all(stream, chain);
  const auto known =
      std::find_if(chains_.begin(), chains_.end(), [&](const Chain& c) { return c.launches == chain; });
  if (known == chains_.end()) {
    const Status status = submit_all(stream, chain);
    chains_.push_front({std::move(chain)});
    if (chains_.size() > kKept) {
      if (chains_.back().graph != nullptr) api().graph_exec_destroy(chains_.back().graph);
      chains_.pop_back();
    }
    return status;
  }
  chains_.splice(chains_.begin(), chains_, known);
  Chain& here = chains_.front();
  if (here.graph == nullptr && !here.refused) here.refused = !capture(stream, here);
  return here.refused ? submit_all(stream, here.launches) : api().graph_launch(here.graph, stream);
}

void Replay::clear() {
  for (const Chain& c : chains_)
    if (c.graph != nullptr) api().graph_exec_destroy(c.graph);
  chains_.clear();
}

}  // namespace lift::cuda
