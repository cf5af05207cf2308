// What becomes of loops that others have made, by the harness that compares: verified, and run.
#pragma once

#include <functional>

#include "compare/contest.hpp"
#include "tuning/session.hpp"

namespace lift::test {

inline ExploreOptions one_configuration(std::shared_ptr<Contenders> contenders) {
  ExploreOptions o;
  o.configurations = 1, o.budget_seconds = 3600, o.rivals = false, o.check_small = false, o.threads = 2;
  o.contenders = std::move(contenders);
  return o;
}

/// Jobs that are made of a course, and what becomes of them.
inline std::vector<Trial> trials_of(const Pattern& pattern, const Problem& problem,
                                    const std::function<std::vector<Job>(const Course&)>& make) {
  ExploreOptions options;
  options.threads = 2;
  Session session(pattern, problem, options);
  const std::vector<Job> jobs = make(course_of(pattern, problem, session.program, session.threads));
  std::vector<Compiled> compiled = session.native->compile(jobs, {});
  std::vector<Trial> trials;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    Candidate c;
    c.kernel = jobs[i].kernel;
    accept(c, compiled[i]);
    if (c.compiled.program) verify_and_time(c, *session.native, session.expected());
    trials.push_back({c.variant.status, c.variant.message, c.variant.error, c.variant.ms, 0});
  }
  return trials;
}

/// The loops as they are, or with another body.
inline Job job_of(const Course& course, const std::string& code) {
  return {course.loops, code, course.loops.name, {}, {}};
}

}  // namespace lift::test
