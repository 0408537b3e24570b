"""A program that sweeps, for tests that kill it or start it twice."""

SCRIPT = """
import sys, ricochet, numpy
ricochet.sweep("impact-oscillator", {"parameters.w": numpy.linspace(2.0, 3.0, 60).tolist()}, out=sys.argv[1],
               workers=2, time__end=25, record__every=0, progress=False)
"""
