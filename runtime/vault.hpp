// The folder of compiled kernels, shared by all backends and by concurrent processes, and trusted: what lies
// in it is executed.
//
// It is a folder of its own, `kernels` in the directory that was asked for, with a marker file; files without
// the marker are somebody else's, and no such folder is used. Folders have mode 0700 and files 0600, and mode
// and owner are looked at whenever an entry is opened. Entries appear by rename and end with a hash of their
// key and contents. What is removed to save space stands in the vault's index, so that a file that liftgen
// did not write is never touched. Entries are read and written without a lock; the index has one, and where
// another process holds on to it, that an entry was used is not noted down, and nothing is removed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace lift {

/// 32 hexadecimal digits, of 128 bits.
std::string hash_text(std::string_view text);

class Vault {
 public:
  /// `parent`, else $LIFTGEN_CACHE, else $XDG_CACHE_HOME/liftgen, else ~/.cache/liftgen, else a directory of
  /// this user's under $TMPDIR. UserError when the one that was asked for cannot be used.
  explicit Vault(const std::filesystem::path& parent = {});

  const std::filesystem::path& directory() const { return directory_; }
  /// Where an entry lies; `key` is a hash_text, `suffix` like ".so".
  std::filesystem::path path_of(const std::string& key, const std::string& suffix) const;

  /// The contents of an entry, marked as used just now. Nothing when there is none, and when it is damaged or
  /// others may have written it, which is said on standard error.
  std::optional<std::string> find(const std::string& key, const std::string& suffix) const;
  /// Puts an entry in place of what is there. UserError when it cannot be written.
  void keep(const std::string& key, const std::string& suffix, std::string_view contents) const;
  /// A file to be read by people, beside the entry: without a hash, never found.
  void keep_beside(const std::string& key, const std::string& suffix, std::string_view text) const;
  void remove(const std::string& key, const std::string& suffix) const;

  /// A folder for this process's temporary files, made anew when it has vanished; removed with the last copy
  /// of this object. Another process removes it when this one was killed.
  std::filesystem::path workspace() const;
  /// For as long as one of these lives, the workspace does.
  std::shared_ptr<const void> workspace_kept() const { return workspace_; }

  /// Removes the least recently used entries until three quarters of `max_bytes` are left, when there is more
  /// than that, and the workspaces of processes that are no more.
  void prune(std::size_t max_bytes) const;
  /// What a process does that adds no entries: it removes those workspaces, and reads the index only where
  /// that has become very long.
  void tidy(std::size_t max_bytes) const;

 private:
  struct Workspace;

  void put(const std::string& key, const std::string& suffix, std::string_view bytes) const;
  void log_use(const std::string& key, const std::string& suffix, std::size_t bytes) const;
  void prune_entries(std::size_t max_bytes) const;
  void remove_dead_workspaces() const;

  std::filesystem::path directory_;
  std::shared_ptr<Workspace> workspace_;
};

}  // namespace lift
