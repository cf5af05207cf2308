// The parser's state; its terms and types are in parse_syntax.cpp, its declarations in
// parse_declarations.cpp.
#pragma once

#include "ir/text/lex.hpp"
#include "ir/text/syntax.hpp"

namespace lift::syntax {

class Parser {
 public:
  static constexpr int kSums = 6;  ///< the level of + and -
  explicit Parser(std::shared_ptr<const Source> source);
  TermPtr term();
  TypeTerm type();
  File file();
  Equations equations();
  void at_end() const;

 private:
  /// One level of nesting, for the time of a function.
  class Nested {
   public:
    explicit Nested(Parser& p);
    ~Nested() { --depth_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;

   private:
    int& depth_;
  };

  [[noreturn]] void fail(const std::string& message) const { source_->fail(now_.begin, message); }
  void advance(bool integers = false);
  void as_integers();
  bool accept(const char* sign);
  void expect(const char* sign, const std::string& where);
  std::string name(const std::string& what);
  std::int64_t integer(const std::string& what);
  TermPtr made(Term t) const;
  TermPtr with_parts(Term::Kind kind, std::size_t at, std::vector<TermPtr> parts,
                     std::string text = {}) const;

  TermPtr infix_from(int level);
  TermPtr prefix();
  TermPtr postfix();
  TermPtr primary();
  TermPtr number();
  TermPtr enclosed();
  TermPtr call(const TermPtr& f, const Token& first);
  TermPtr boundary();
  TermPtr decided(const TermPtr& name);
  TermPtr lambda();
  TermPtr let();
  Binder binder();
  std::vector<TermPtr> list(const char* close, const std::string& where);
  TermPtr words();

  TermPtr length();
  bool is_function_type();
  TypeTerm function_type();

  Declaration declaration();
  Declaration size();
  Declaration param();
  Declaration index();
  Declaration definition();
  Declaration user();
  Declaration result();
  void names(Declaration& d, const std::string& what);
  void data(Declaration& d);
  void condition(Declaration& d);
  double signed_number(const std::string& what);

  Equation equation();
  std::string equation_name();
  Equation::Parameter equation_parameter();

  std::shared_ptr<const Source> source_;
  Token now_;
  std::size_t before_ = 0;  ///< where the token before ended
  int nesting_ = 0;
};

}  // namespace lift::syntax
