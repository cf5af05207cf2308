#include <algorithm>

#include "compare/peer.hpp"
#include "ir/error.hpp"
#include "ir/text/near.hpp"

namespace lift {

std::string describe(const std::vector<PeerChoice>& choices, const PeerSettings& settings) {
  std::string text;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (settings.at(i).empty()) continue;
    text += (text.empty() ? "" : ", ") + choices[i].name + (choices[i].name.empty() ? "" : " ") + settings[i];
  }
  return text;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

namespace {

struct Row {
  const char* name;
  std::unique_ptr<Peer> (*make)();
};
constexpr Row kPeers[] = {{"polly", make_polly},     {"graphite", make_graphite}, {"isl", make_isl},
                          {"isl", make_isl_in_time}, {"pluto", make_pluto},       {"ppcg", make_ppcg}};

}  // namespace

const std::vector<std::string>& peer_names() {
  static const auto& names = *new std::vector<std::string>([] {
    std::vector<std::string> all{"plain"};
    for (const Row& row : kPeers)
      if (all.back() != row.name) all.emplace_back(row.name);
    return all;
  }());
  return names;
}

const std::vector<std::string>& grid_peer_names() {
  static const auto& names = *new std::vector<std::string>{"plain", "ppcg"};
  return names;
}

std::vector<std::unique_ptr<Peer>> make_peers(const std::string& name, Target target) {
  std::vector<std::unique_ptr<Peer>> peers;
  const bool known = std::find(peer_names().begin(), peer_names().end(), name) != peer_names().end();
  if (is_grid(target) && known) {
    if (name != grid_peer_names().back())
      throw UserError("--with " + name + " --backend " + text(target) + ": " + name +
                      " makes loops for processors; for devices there is " + grid_peer_names().back());
    peers.push_back(make_ppcg_on(target));
    return peers;
  }
  for (const Row& row : kPeers)
    if (name == row.name) peers.push_back(row.make());
  std::erase(peers, nullptr);  // without isl, one of its two says so
  if (!peers.empty()) return peers;
  std::string all;
  for (const std::string& n : peer_names()) all += (all.empty() ? "" : ", ") + n;
  const std::string meant = nearest(name, peer_names());
  throw UserError("--with " + name + ": nobody of that name" +
                  (meant.empty() ? "" : "; did you mean " + meant + "?") + "; there are " + all);
}

}  // namespace lift
