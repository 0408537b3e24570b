// Documents: places, overrides, and scenes that say the same in different words.
#include "ricochet/scene/document.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "scene/support.hpp"

namespace ricochet {
namespace {

using namespace scene;
using test::floor_scene;

const Value& at(const Value& table, std::string_view key) { return *find(std::get<Table>(table.data), key); }

TEST(Document, EveryValueKnowsItsPlace) {
  const Value root = parse_document("a = 1\n[b]\nc = [1.5, \"xyz\",\n  true]\nd = '''\ntext'''\n", "f.toml");
  EXPECT_EQ(at(root, "a").place.str(), "f.toml:1:5");
  const Value& c = at(at(root, "b"), "c");
  EXPECT_EQ(c.place.str(), "f.toml:3:5");
  const Array& list = std::get<Array>(c.data);
  EXPECT_EQ(list[1].place.str(), "f.toml:3:11");
  EXPECT_EQ(list[1].text.str(), "f.toml:3:12");
  EXPECT_EQ(list[2].place.str(), "f.toml:4:3");
  EXPECT_EQ(at(at(root, "b"), "d").text.str(), "f.toml:6:1");
}

TEST(Document, PlacesCountCharactersNotBytes) {
  const std::string text = "title = \"é\"\na = [\"ü\", \"zz\"]\n";
  const Value root = parse_document(text, "f");
  EXPECT_EQ(std::get<Array>(at(root, "a").data)[1].text.str(), "f:2:12");
}

/// As tables in tables these would exhaust the stack.
std::string depth_refusal(const std::string& text) {
  try {
    parse_document(text, "f");
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}
std::string parts(int dots) {
  std::string key = "b";
  for (int i = 0; i < dots; ++i) key += ".b";
  return key;
}

TEST(Document, KeysOfTooManyParts) {
  EXPECT_EQ(depth_refusal(parts(256) + " = 1\n"), "");
  EXPECT_EQ(depth_refusal(parts(257) + " = 1\n"),
            "f:1:514: a key may have 256 parts at most, with those of the tables around it");
  // Quotation marks that belong to a text must not hide what follows it.
  for (const char* text :
       {"\"\"\"a\"\"\"", "\"\"\"a\"\"\"\"", "\"\"\"a\"\"\"\"\"", "'''a''''", "''''''", "\"\"", "'\"'"}) {
    const std::string head = std::string("x = { k = ") + text + ", ";
    EXPECT_EQ(depth_refusal(head + parts(3) + " = 1 }\n"), "") << text;
    EXPECT_NE(depth_refusal(head + parts(100000) + " = 1 }\n").find("256 parts"), std::string::npos) << text;
  }
}

TEST(Document, KeysOfTooManyPartsTogether) {
  const auto nested = [](int tables, int dots, const std::string& open, const std::string& close) {
    std::string text = "x = ", end;
    for (int i = 0; i < tables; ++i) text += open + parts(dots) + " = ", end += close;
    return text + "1" + end + "\n";
  };
  for (const auto& [open, close] :
       {std::pair<std::string, std::string>{"{ ", " }"}, {"[{ ", " }]"}, {"[\n{ ", " }\n]"}}) {
    EXPECT_EQ(depth_refusal(nested(4, 64, open, close)), "");
    EXPECT_NE(depth_refusal(nested(5, 64, open, close)).find("256 parts"), std::string::npos);
    EXPECT_NE(depth_refusal(nested(120, 255, open, close)).find("256 parts"), std::string::npos);
  }
  // Tables beside each other are not in each other.
  std::string beside;
  for (int i = 0; i < 50; ++i)
    beside += "[t" + std::to_string(i) + "]\n" + parts(200) + " = { " + parts(20) + " = 0.5 }\n";
  EXPECT_EQ(depth_refusal(beside), "");
}

TEST(Override, ReplacesAddsAndIndexes) {
  Value root = parse_document("[a]\nb = [1, [2, 3]]\n[[g]]\nx = 1\n[[g]]\nx = 2\n", "f");
  apply_override(root, "a.b[1][0]=7");
  apply_override(root, "g[1].x=2.5");
  apply_override(root, "new.table.key=\"text\"");
  apply_override(root, "a.word=midpoint");
  apply_override(root, "a.formula=2*x + 1");
  apply_override(root, "a.list=[1, \"two\"]");
  apply_override(root, "a.empty=");
  const Value& a = at(root, "a");
  EXPECT_EQ(std::get<std::int64_t>(std::get<Array>(std::get<Array>(at(a, "b").data)[1].data)[0].data), 7);
  EXPECT_EQ(std::get<double>(at(std::get<Array>(at(root, "g").data)[1], "x").data), 2.5);
  EXPECT_EQ(std::get<std::string>(at(at(at(root, "new"), "table"), "key").data), "text");
  EXPECT_EQ(std::get<std::string>(at(a, "word").data), "midpoint");
  EXPECT_EQ(std::get<std::string>(at(a, "formula").data), "2*x + 1");
  EXPECT_EQ(std::get<Array>(at(a, "list").data).size(), 2u);
  EXPECT_EQ(std::get<std::string>(at(a, "empty").data), "");
  EXPECT_EQ(at(a, "word").place.str(), "--set a.word=midpoint");
}

TEST(Override, IsOneLine) {
  // "1\n[time]\nstep = 0" must not smuggle in another table; a record keeps one override per line.
  for (const char* text : {"a=1\nb = 2", "a=\n", "\na=1", "a=[1,\n2]", "title=a\nb"}) {
    Value root = parse_document("", "f");
    try {
      apply_override(root, text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(": an override must be one line"), std::string::npos) << error.what();
    }
    EXPECT_TRUE(std::get<Table>(root.data).empty());
  }
  Value root = parse_document("", "f");
  apply_override(root, "a=\"1\\n2\"");  // as TOML writes it
  EXPECT_EQ(std::get<std::string>(at(root, "a").data), "1\n2");
}

TEST(Override, OfAnEntryIsThePlaceOfItsArray) {
  Value root = parse_document("[a]\nb = [1, [2, 3]]\n[[g]]\nx = [1]\n", "f");
  apply_override(root, "a.b[1][0]=7");
  apply_override(root, "g[0].x[0]=2");
  const Value& b = at(at(root, "a"), "b");
  EXPECT_EQ(b.place.str(), "--set a.b[1][0]=7");
  EXPECT_EQ(std::get<Array>(b.data)[0].place.str(), "f:2:6");
  EXPECT_EQ(std::get<Array>(b.data)[1].place.str(), "--set a.b[1][0]=7");
  EXPECT_EQ(std::get<Array>(std::get<Array>(b.data)[1].data)[1].place.str(), "f:2:13");
  const Value& g = at(root, "g");
  EXPECT_EQ(g.place.str().substr(0, 2), "f:");  // of the tables in it nobody has said anything
  EXPECT_EQ(std::get<Array>(g.data)[0].place.str().substr(0, 2), "f:");
  EXPECT_EQ(at(std::get<Array>(g.data)[0], "x").place.str(), "--set g[0].x[0]=2");
}

RC_GTEST_PROP(Override, GivesWhatTheFileWouldGive, (double step, double y)) {
  // A number written into the file or set from outside is the same number.
  RC_PRE(std::isfinite(step) && std::isfinite(y));
  step = 1e-3 + std::abs(std::remainder(step, 1.0));
  y = 1 + std::abs(std::remainder(y, 10.0));
  char text[64], set[64];
  std::snprintf(text, sizeof text, "%.17g", step);
  std::snprintf(set, sizeof set, "system.position[1]=%.17g", y);
  const auto a = compile(parse_scene(floor_scene("", text), "s", {set}));
  const auto b = compile(parse_scene(floor_scene(), "s", {std::string("time.step=") + text, set}));
  RC_ASSERT(a->step == step);
  RC_ASSERT(b->step == step);
  RC_ASSERT(a->q0[1] == y);
}

TEST(Scene, DefaultsAreTheDocumentedOnes) {
  const Scene s = parse_scene(floor_scene(), "dir/name.toml");
  EXPECT_EQ(s.name, "name");
  EXPECT_EQ(s.integrator.rule, "trapezoid");
  EXPECT_EQ(s.integrator.closure, "auto");
  EXPECT_EQ(s.integrator.principle, "strong");
  EXPECT_EQ(s.impact.law, "elastic");
  EXPECT_EQ(s.record.every, 1);
  EXPECT_FALSE(s.impact.balance);
  EXPECT_EQ(s.gaps[0].name, "floor");
}

TEST(Scene, ParametersInAnyOrder) {
  const auto m = compile(parse_scene(floor_scene("[parameters]\nb = \"2*a\"\na = \"c + 1\"\nc = 3\n"), "s",
                                     {"time.step=b/800", "system.position[1]=b", "system.mass=[\"a\", \"b\"]"}));
  EXPECT_EQ(m->step, 0.01);
  EXPECT_EQ(m->q0[1], 8);
  EXPECT_EQ(m->mass(1, 1), 8);
  EXPECT_TRUE(m->constant_mass);
}

}  // namespace
}  // namespace ricochet
