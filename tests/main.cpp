// Entry of every test program: doctest's own, except that a run that selects no test case fails, and that
// every step of derivations and every pass is verified, and that no test uses the database of what the user's
// explorations have found.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>
#include <optional>

#include "ir/region.hpp"
#include "ir/verify_mode.hpp"

namespace {

unsigned selected_test_cases = 0;

struct CountSelected : doctest::IReporter {
  explicit CountSelected(const doctest::ContextOptions&) {}
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats& stats) override {
    selected_test_cases = stats.numTestCasesPassingFilters;
  }
  void test_case_start(const doctest::TestCaseData&) override {
    if (each_in_a_region) region.emplace();
  }
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override { region.reset(); }
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}

  /// LIFTGEN_TEST_REGIONS=1: nothing that a test case makes is left to the next one.
  const bool each_in_a_region = std::getenv("LIFTGEN_TEST_REGIONS") != nullptr;
  std::optional<lift::Region> region;
};

REGISTER_LISTENER("count-selected", 0, CountSelected);

}  // namespace

int main(int argc, char** argv) {
  lift::set_verify_steps(true);
  if (std::getenv("LIFTGEN_TEST_REGIONS") != nullptr) lift::set_sweep_after(0);
  ::setenv("LIFTGEN_DB", "none", 1);
  ::setenv("LIFTGEN_TRUST_TIMES", "1", 0);
  doctest::Context context(argc, argv);
  const int status = context.run();
  if (context.shouldExit()) return status;  // a query such as --list-test-cases
  return status == 0 && selected_test_cases == 0 ? 1 : status;
}
