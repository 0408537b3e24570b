// Bad scenes: one sentence each, with the place of the fault.
#include <gtest/gtest.h>

#include "scene/support.hpp"

namespace ricochet {
namespace {

using test::floor_scene;
using test::refusal;

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

struct Case {
  const char* name;
  std::string text;
  const char* place;  ///< line:column
  const char* words;  ///< part of the sentence
};

class Refused : public testing::TestWithParam<Case> {};

TEST_P(Refused, WithPlaceAndReason) {
  const auto& c = GetParam();
  const std::string sentence = refusal(c.text);
  EXPECT_TRUE(sentence.starts_with(std::string("s.toml:") + c.place + ": ")) << sentence;
  EXPECT_NE(sentence.find(c.words), std::string::npos) << sentence;
  EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
  EXPECT_LT(sentence.size(), 500u);
}

const std::string good = floor_scene();

/// Its mass is that of v_x + v_y alone.
std::string singular_lagrangian(const std::string& start) {
  return replaced(
      replaced(replaced(good, "mass = [1, 1]\n", ""), "potential = \"9.81*y\"", "lagrangian = \"(v_x + v_y)^2 - x^2\""),
      "velocity = [-2, 0]\n", start);
}

/// Its speed of light is 1.
std::string light(const std::string& start) {
  return replaced(replaced(replaced(good, "mass = [1, 1]\n", ""), "potential = \"9.81*y\"",
                           "lagrangian = \"-sqrt(1 - v_x^2 - v_y^2) - y\""),
                  "velocity = [-2, 0]\n", start);
}

INSTANTIATE_TEST_SUITE_P(
    Scenes, Refused,
    testing::Values(
        Case{"Empty", "", "1:1", "[time] is missing"},
        Case{"NoSystem", "[time]\nstep = 1\nend = 1\n", "1:1", "[system] is missing"},
        Case{"NoStep", replaced(good, "step = 0.01\n", ""), "1:1", "'step' is missing in [time]"},
        Case{"NoEnd", replaced(good, "end = 1\n", ""), "1:1", "'end' or 'impacts'"},
        Case{"NoMass", replaced(good, "mass = [1, 1]\n", ""), "4:1", "'mass'"},
        Case{"NoPosition", replaced(good, "position = [0, 1]\n", ""), "4:1", "'position' is missing"},
        Case{"DuplicateKey", replaced(good, "end = 1\n", "end = 1\nend = 2\n"), "4:7", "end"},
        Case{"DuplicateTable", good + "[time]\nstep = 1\n", "13:1", "time"},
        Case{"UnknownKey", replaced(good, "end = 1", "ende = 1"), "3:1", "'ende' in [time]; did you mean 'end'?"},
        Case{"UnknownForNeeded", replaced(good, "mass =", "mas ="), "6:1", "'mas' in [system]; did you mean 'mass'?"},
        Case{"UnknownOfTime", replaced(good, "step =", "dt ="), "2:1",
             "in [time]; here there are step, end and impacts"},
        Case{"UnknownOfGap", replaced(good, "expression =", "phi ="), "12:1",
             "here there are name, expression, law, restitution, friction and tangent"},
        Case{"UnknownOfIntegrator", good + "[integrator]\nmethod = \"x\"\n", "14:1",
             "'method' in [integrator]; here there are principle, "},
        Case{"UnknownForSystem", replaced(good, "[system]", "[systm]"), "4:2", "did you mean 'system'?"},
        Case{"UnknownKeySuggests", replaced(good, "potential", "potentail"), "7:1", "did you mean 'potential'?"},
        Case{"UnknownTable", good + "[integrater]\n", "13:2", "did you mean 'integrator'?"},
        Case{"UnknownGapKey", good + "expresion = \"x\"\n", "13:1", "did you mean 'expression'?"},
        Case{"NewlineInAName", replaced(good, "\"floor\"", "\"flo\\nor\""), "11:8", "'flo\\nor' contains"},
        Case{"ControlCharacterInAKey", replaced(good, "potential", "\"pot\\u0007ential\""), "7:1",
             "'pot\\u0007ential'"},
        Case{"SingleBrackets", replaced(good, "[[gap]]", "[gap]"), "10:1", "double brackets"},
        Case{"NotToml", "[time\n", "1:6", ""},
        Case{"StringForNumber", replaced(good, "step = 0.01", "step = true"), "2:8",
             "must be a number or an expression"},
        Case{"NumberForName", replaced(good, "[\"x\", \"y\"]", "[\"x\", 3]"), "5:21", "must be a name"},
        Case{"TableForArray", replaced(good, "mass = [1, 1]", "mass = 3"), "6:8", "must be an array"},
        Case{"WrongSizeMass", replaced(good, "mass = [1, 1]", "mass = [1]"), "6:8",
             "1 entry, but there are 2 coordinates"},
        Case{"WrongSizePosition", replaced(good, "[0, 1]", "[0, 1, 2]"), "8:12", "3 entries"},
        Case{"WrongSizeVelocity", replaced(good, "[-2, 0]", "[]"), "9:12", "0 entries"},
        Case{"WrongSizeMatrix", replaced(good, "mass = [1, 1]", "mass = [[1, 0], [0]]"), "6:17", "mass[1] has 1 entry"},
        Case{"ZeroStep", floor_scene("", "0"), "2:8", "must be positive"},
        Case{"NegativeStep", floor_scene("", "-0.1"), "2:8", "must be positive"},
        Case{"NanStep", floor_scene("", "nan"), "2:8", "not a finite number"},
        Case{"InfiniteStep", floor_scene("", "inf"), "2:8", "not a finite number"},
        Case{"StepOfNothing", floor_scene("", "\"0/0\""), "2:8", "not a finite number"},
        Case{"TooManySteps", floor_scene("", "1e-300"), "3:7", "more steps"},
        Case{"Impacts", replaced(good, "end = 1", "impacts = 0"), "3:11", "positive"},
        Case{"EmptyCall", replaced(good, "9.81*y", "sin()"), "7:14", "sin"},
        Case{"UnknownName", replaced(good, "9.81*y", "9.81*z"), "7:19", "unknown name"},
        Case{"UnknownFunction", replaced(good, "9.81*y", "sinn(y)"), "7:14", "did you mean 'sin'?"},
        Case{"VelocityInPotential", replaced(good, "9.81*y", "9.81*v_y"), "7:19", "unknown name"},
        Case{"DeepNesting", replaced(good, "9.81*y", std::string(5000, '(') + "y" + std::string(5000, ')')), "7:1014",
             ""},
        Case{"LongLine", replaced(good, "9.81*y", std::string(1 << 20, 'a')), "7:14", "unknown name"},
        Case{"MultiLineText", replaced(good, "\"9.81*y\"", "\"\"\"\n9.81*\ny + z\"\"\""), "9:5", "unknown name"},
        Case{"ZeroMass", replaced(good, "mass = [1, 1]", "mass = [1, 0]"), "6:12", "mass of 'y' must be positive"},
        Case{"NegativeMass", replaced(good, "mass = [1, 1]", "mass = [1, -2]"), "6:12", "-2"},
        Case{"SingularMass", replaced(good, "mass = [1, 1]", "mass = [[1, 1], [1, 1]]"), "6:8",
             "not positive definite"},
        Case{"IndefiniteMass", replaced(good, "mass = [1, 1]", "mass = [[1, 2], [2, 1]]"), "6:8",
             "not positive definite"},
        Case{"AsymmetricMass", replaced(good, "mass = [1, 1]", "mass = [[1, 0], [0.5, 1]]"), "6:18", "not symmetric"},
        Case{"AsymmetricMassOfQ", replaced(good, "mass = [1, 1]", "mass = [[2, \"sin(x)\"], [0, 2]]"), "6:25",
             "not symmetric"},
        Case{"AsymmetricMassOfT", replaced(good, "mass = [1, 1]", "mass = [[2, \"0.5*sin(t)\"], [0, 2]]"), "6:29",
             "not symmetric"},
        Case{"AsymmetricMassLater", replaced(good, "mass = [1, 1]", "mass = [[2, \"if(t < 0.9, 0, 0.5)\"], [0, 2]]"),
             "6:38", "t = 0.9"},
        Case{"AsymmetricMassFarAway", replaced(good, "mass = [1, 1]", "mass = [[2, \"if(x < 500, 0, 0.5)\"], [0, 2]]"),
             "6:38", "at x = "},
        Case{"InadmissibleStart", replaced(good, "[0, 1]", "[0, -0.25]"), "8:12", "\"floor\" by 0.25"},
        Case{"NanStart", replaced(good, "[0, 1]", "[0, nan]"), "8:16", "not a finite number"},
        Case{"PotentialNotFinite", replaced(good, "9.81*y", "log(y - 1)"), "8:12", "finite"},
        Case{"GapOfNothing", good + "[[gap]]\nexpression = \"3\"\n", "14:14", "depends on nothing"},
        Case{"GapWithoutANormal", good + "[[gap]]\nexpression = \"y - y\"\n", "14:14", "it has no normal"},
        Case{"GapWithoutANormalOfZero", good + "[[gap]]\nexpression = \"y*0\"\n", "14:14",
             "'gap 1' is closed at the start"},
        Case{"GapWithoutANormalAtTheStart", good + "[[gap]]\nexpression = \"x + (y - 1)^2 - x\"\n", "14:14",
             "no normal"},
        Case{"MovingGapWithoutANormal", good + "[[gap]]\nexpression = \"(y - 1)^2 + t\"\n", "14:14", "no normal"},
        Case{"ForceOfAPosition", good + "[[force]]\ncomponents = [0, \"log(x)\"]\n", "14:18", "not a finite number"},
        Case{"ForceOfAPositionWithMomentum",
             replaced(good, "velocity", "momentum") + "[[force]]\ncomponents = [0, \"log(x)\"]\n", "14:18",
             "this component of the force is not a finite number"},
        Case{"ForceOfAMomentum",  // v = p/m = (−1, 0)
             replaced(replaced(good, "velocity", "momentum"), "mass = [1, 1]", "mass = [2, 2]") +
                 "[[force]]\ncomponents = [\"1/(v_x + 1)\", 0]\n",
             "14:15", "not a finite number"},
        Case{"ForceOfAMomentumAndAMassOfQ",  // M = 1 + y = 2 at the start
             replaced(replaced(good, "velocity", "momentum"), "mass = [1, 1]", "mass = [\"1 + y\", 1]") +
                 "[[force]]\ncomponents = [\"1/(v_x + 1)\", 0]\n",
             "14:15", "not a finite number"},
        Case{"ForceOfAMomentumAndALagrangian",  // p = v/√(1 − v²) = −3/4 where v = −3/5
             light("momentum = [-0.75, 0]\n") + "[[force]]\ncomponents = [\"log(v_x + 0.59)\", 0]\n", "13:15",
             "not a finite number"},
        Case{"NewtonForALagrangianThatIsNotQuadratic", light("") + "[impact]\nlaw = \"newton\"\nrestitution = 0.5\n",
             "12:7", "quadratic in the velocities, which this lagrangian has not"},
        Case{"PoissonForALagrangianThatIsNotQuadratic", light("") + "law = \"poisson\"\nrestitution = 0\n", "11:7",
             "the law \"poisson\" of the gap 'floor' supposes a kinetic energy quadratic"},
        Case{"BalanceForALagrangianThatIsNotQuadratic",
             light("") + "[impact]\nlaw = \"newton\"\nrestitution = 0.5\ndissipation = \"balance\"\n", "12:7",
             "quadratic in the velocities"},
        Case{"SameGapName", good + "[[gap]]\nname = \"floor\"\nexpression = \"x\"\n", "14:8", "'floor'"},
        Case{"PlusInName", good + "[[gap]]\nname = \"a+b\"\nexpression = \"x\"\n", "14:8", "'+'"},
        Case{"UnknownLaw", good + "[impact]\nlaw = \"elastik\"\n", "14:7", "did you mean 'elastic'?"},
        Case{"ElasticWithE", good + "[impact]\nrestitution = 0.5\n", "14:15", "elastic law has restitution 1"},
        Case{"RestitutionAboveOne", good + "[impact]\nlaw = \"newton\"\nrestitution = 1.5\n", "15:15", "above 1"},
        Case{"RestitutionBelowZero", good + "[impact]\nlaw = \"newton\"\nrestitution = -1\n", "15:15", "negative"},
        Case{"UnknownRule", good + "[integrator]\nrule = \"trapezoidal\"\n", "14:8", "did you mean 'trapezoid'?"},
        Case{"GammaWithoutRectangle", good + "[integrator]\ngamma = 0.5\n", "14:9", "rectangle"},
        Case{"RectangleWithoutGamma", good + "[integrator]\nrule = \"rectangle\"\n", "14:8", "gamma"},
        Case{"ForceOfWrongSize", good + "[[force]]\ncomponents = [\"1\"]\n", "14:14", "1 entry"},
        Case{"SymmetryOfWrongSize", good + "[[symmetry]]\ngenerator = [1, 2, 3]\n", "14:13", "3 entries"},
        Case{"RedundantConstraint",
             replaced(good, "[-2, 0]", "[0, 0]") +
                 "[[constraint]]\nname = \"a\"\nexpression = \"x\"\n[[constraint]]\nname = \"b\"\nexpression = "
                 "\"2*x\"\n",
             "18:14", "\"b\" is redundant"},
        Case{"ViolatedConstraint", good + "[[constraint]]\nname = \"a\"\nexpression = \"x - 1\"\n", "8:12", "violated"},
        Case{"MovingGapViolated", good + "[[gap]]\nname = \"wall\"\nexpression = \"-0.5 - sin(t) - x\"\n", "8:12",
             "by 0.5"},
        Case{"ParameterCycle", good + "[parameters]\na = \"b\"\nb = \"a\"\n", "15:6", "cycle"},
        Case{"ParameterIsCoordinate", good + "[parameters]\nx = 1\n", "14:1", "coordinate"},
        Case{"ParameterIsTime", good + "[parameters]\nt = 1\n", "14:1", "time"},
        Case{"ParameterIsFunction", good + "[parameters]\nsin = 1\n", "14:1", "function"},
        Case{"BadParameterText", good + "[parameters]\na = \"1 +\"\n", "14:9", ""},
        Case{"LagrangianAndMass", replaced(good, "potential = \"9.81*y\"", "lagrangian = \"v_x^2 + v_y^2\""), "7:14",
             "one description"},
        Case{"MasslessLagrangian",
             replaced(replaced(good, "mass = [1, 1]\n", ""), "potential = \"9.81*y\"", "lagrangian = \"v_x^2\""),
             "6:14", "v_y"},
        Case{
            "IndefiniteLagrangian",
            replaced(replaced(good, "mass = [1, 1]\n", ""), "potential = \"9.81*y\"", "lagrangian = \"v_x^2 - v_y^2\""),
            "6:14", "positive definite"},
        Case{"SingularLagrangian", singular_lagrangian(""), "6:14", "∂²L/∂v² of the lagrangian is not positive"},
        Case{"SingularLagrangianAtASpeed", singular_lagrangian("velocity = [1, 1]\n"), "6:14", "positive definite"},
        Case{"SingularLagrangianWithMomentum", singular_lagrangian("momentum = [1, 1]\n"), "6:14", "positive definite"},
        Case{"ShapeWithoutPosition", good + "[[shape]]\ntype = \"circle\"\nradius = 1\n", "13:1", "position"},
        Case{"UnknownShape", good + "[[shape]]\ntype = \"cube\"\n", "14:8", "cube"},
        Case{"PerturbationWithoutStart", good + "[impact]\nperturbation = 1\n", "14:16", "start = \"perturbed\""},
        Case{"PerturbedNowhere", good + "[impact]\nstart = \"perturbed\"\nperturbation = 1\n", "14:9",
             "no gap is closed"}),
    [](const auto& info) { return info.param.name; });

TEST(Refusal, OverridesAreNamed) {
  EXPECT_EQ(refusal(good, {"time.step=0"}), "--set time.step=0: the step must be positive, not 0");
  EXPECT_NE(refusal(good, {"system.potential=9.81*z"}).find("--set system.potential=9.81*z: unknown name"),
            std::string::npos);
  EXPECT_NE(refusal(good, {"system.velocity[7]=0"}).find("has 2 entries"), std::string::npos);
  EXPECT_NE(refusal(good, {"gap[1].name=x"}).find("gap has 1 entry, counted"), std::string::npos);
  EXPECT_EQ(refusal(good, {"time.impacts=99999999999999999999"}),
            "--set time.impacts=99999999999999999999: impacts of [time] is out of range: an integer has 64 bits");
  EXPECT_NE(refusal(good, {"time.impacts=-99999999999999999999"}).find("out of range"), std::string::npos);
  EXPECT_NE(refusal(good, {"time.impacts=9e"}).find("must be an integer, not a string"), std::string::npos);
  EXPECT_NE(refusal(good, {"system.velocity.x=0"}).find("is an array, not a table"), std::string::npos);
  EXPECT_NE(refusal(good, {"time"}).find("key.path=value"), std::string::npos);
  EXPECT_NE(refusal(good, {"tiem.step=1"}).find("did you mean 'time'?"), std::string::npos);
  EXPECT_NE(refusal(good, {"..=1"}).find("is not of the form"), std::string::npos);
}

TEST(Refusal, OverridesOfEntriesAreNamed) {
  EXPECT_EQ(refusal(good, {"system.position[1]=-1"}).find("--set system.position[1]=-1: the start violates"), 0u);
  EXPECT_EQ(refusal(good, {"system.mass=[[1, 2], [2, 5]]", "system.mass[1][1]=1"}),
            "--set system.mass[1][1]=1: the mass matrix is not positive definite at the start");
  EXPECT_EQ(refusal(good, {"gap[0].law=newton", "system.position=[0, -1]"}).find("--set system.position=[0, -1]: "),
            0u);
}

TEST(Refusal, GapsWithANormal) {
  // Flat but open, curved but closed, of another size.
  for (const char* gap : {"1 + x - x", "1 + (y - 1)^2", "1e-13 + x^2", "1e-30*(y - 1)", "(y - 1) + (y - 1)^2",
                          "y*0 + 1 + t", "if(x < 5, 1, 1 + (x - 5)^2)"})
    EXPECT_EQ(refusal(good + "[[gap]]\nexpression = \"" + gap + "\"\n"), "") << gap;
}

TEST(Refusal, ForcesThatAreNumbersWithTheVelocityOfTheMomentum) {
  // v = −3/5, where p = −3/4 would be no number
  EXPECT_EQ(refusal(light("momentum = [-0.75, 0]\n") + "[[force]]\ncomponents = [\"log(v_x + 0.61)\", 0]\n"), "");
  EXPECT_EQ(refusal(replaced(replaced(good, "velocity", "momentum"), "mass = [1, 1]", "mass = [2, 2]") +
                    "[[force]]\ncomponents = [\"1/(v_x + 2)\", 0]\n"),
            "");
}

TEST(Refusal, LagrangiansThatAreQuadraticHoweverTheyAreWritten) {
  const std::string newton = "[impact]\nlaw = \"newton\"\nrestitution = 0.5\n";
  for (const char* L : {"(v_x^2 + v_y^2)/2 - 9.81*y", "(1 + x^2)*v_x^2 + exp(sin(y))*v_y^2 + 0.1*v_x*v_y + v_x*y",
                        "v_x^4/v_x^2 + v_y^2", "sqrt(v_x^4) + v_y^2", "exp(2*log(abs(v_x))) + v_y^2",
                        "((v_x + 1000)^3 - v_x^3 - 1e9 - 3e6*v_x)/3000 + v_y^2",
                        "(v_x + v_y)^3 - v_x^3 - v_y^3 - 3*v_x^2*v_y - 3*v_x*v_y^2 + v_x^2 + v_y^2",
                        "0.3*v_x^3 - 0.1*3*v_x^3 + v_x^2 + v_y^2", "if(t < 1, 1, 2)*(v_x^2 + v_y^2)"}) {
    const std::string text = replaced(replaced(good, "mass = [1, 1]\n", ""), "potential = \"9.81*y\"",
                                      std::string("lagrangian = \"") + L + "\"");
    const std::string said = refusal(replaced(text, "[-2, 0]", "[-0.5, 0.25]") + newton);  // some have no mass at rest
    EXPECT_EQ(said.find("quadratic"), std::string::npos) << L << ": " << said;
  }
  for (const char* L : {"-sqrt(1 - v_x^2 - v_y^2)", "v_x^2/2 + v_y^2/2 + 0.01*v_y^4", "v_x^2 + v_y^2 + x*v_x^3",
                        "cosh(v_x) + v_y^2", "v_x^2 + v_y^2 + sqrt(1 + v_x^2*v_y^2)"}) {
    const std::string text = replaced(replaced(good, "mass = [1, 1]\n", ""), "potential = \"9.81*y\"",
                                      std::string("lagrangian = \"") + L + "\"");
    const std::string slow = replaced(text, "[-2, 0]", "[-0.5, 0.25]");
    EXPECT_NE(refusal(slow + newton).find("quadratic in the velocities"), std::string::npos) << L;
    // What keeps the energy, and the weak principle, work.
    EXPECT_EQ(refusal(slow), "") << L;
    EXPECT_EQ(refusal(slow + "[impact]\nlaw = \"newton\"\n"), "") << L;
    EXPECT_EQ(refusal(slow + newton + "[integrator]\nprinciple = \"weak\"\n"), "") << L;
  }
}

TEST(Refusal, ManyBracketsInAMassOfQ) {
  // What may stand in a constant mass may stand in one that depends on q, and in the potential beside it.
  const auto deep = [](std::size_t n, const std::string& inside) {
    return "\"" + std::string(n, '(') + inside + std::string(n, ')') + "\"";
  };
  for (const char* inside : {"1 + 1", "1 + x"})
    for (const std::string& mass : {"[" + deep(998, inside) + ", 1]", "[1, " + deep(998, inside) + "]"}) {
      const std::string text = replaced(good, "[1, 1]", mass);
      EXPECT_EQ(refusal(text), "") << inside;
      EXPECT_EQ(refusal(replaced(text, "\"9.81*y\"", deep(998, "9.81*y"))), "") << inside;
    }
  EXPECT_EQ(refusal(replaced(good, "[1, 1]", "[1, " + deep(999, "1 + x") + "]")),
            "s.toml:6:1016: the expression is nested deeper than 1000 levels");
}

TEST(Refusal, NamesThatStandForMasses) {
  // Whatever the parameters and the coordinates of a scene are called.
  const std::string text =
      replaced(replaced(good, "[1, 1]", "[\"m_*(1 + x^2)\", \"m_0 + m_1*m_2\"]"), "9.81*y", "m__3*y");
  EXPECT_EQ(refusal(text + "[parameters]\nm_ = 1\nm_0 = 1\nm_1 = 1\nm_2 = 1\nm__3 = 9.81\n"), "");
}

TEST(Refusal, OneFunctionWrittenTwiceIsSymmetric) {
  // What cancels in one of them is no asymmetry; where one is not defined nothing can be said.
  for (const char* pair : {"\"cos(x - y)\"], [\"cos(x)*cos(y) + sin(x)*sin(y)\"",
                           "\"(x + y)^2/(1 + (x + y)^2)\"], "
                           "[\"1 - 1/(1 + x^2 + 2*x*y + y^2)\"",
                           "\"sqrt(1 - x)^2/(4 + x^2)\"], [\"(1 - x)/(4 + x^2)\""})
    EXPECT_EQ(refusal(replaced(good, "mass = [1, 1]", std::string("mass = [[3, ") + pair + ", 3]]")), "") << pair;
}

TEST(Refusal, ClosuresThatDoNotFit) {
  const std::string sentence = refusal(good + "[integrator]\nrule = \"midpoint\"\nclosure = \"shadow4\"\n");
  EXPECT_TRUE(sentence.starts_with("s.toml:15:11: ")) << sentence;
  EXPECT_NE(sentence.find("trapezoid"), std::string::npos) << sentence;
}

TEST(Refusal, BytesThatAreNoText) {
  EXPECT_FALSE(refusal(std::string("title = \"a\0b\"", 13)).empty());
  EXPECT_FALSE(refusal(std::string("\xff\xfe\x00", 3)).empty());
  EXPECT_FALSE(refusal("[+").empty());
}

}  // namespace
}  // namespace ricochet
