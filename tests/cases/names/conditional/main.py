try:
    from fast import spin
except ImportError:
    from slow import spin

try:
    import missing_speedups as impl
except ImportError:
    impl = None

try:
    from fast import only_fast
except ImportError:
    raise

try:
    from fast import turn
except ImportError:
    def turn(): ...

spin  # resolves: fast.spin likely, slow.spin likely
impl  # resolves: main.impl likely
only_fast  # resolves: fast.only_fast
turn  # resolves: fast.turn likely, main.turn likely
