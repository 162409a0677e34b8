# complete: scope, binds
def first[T: int, *Ts, **P](x: T) -> T:  # scope: type parameters first in module, function first in type parameters first | binds: T type parameter, Ts type parameter, P type parameter, first function, x parameter
    return x


class Box[T](list[T]):  # scope: type parameters Box in module, class Box in type parameters Box | binds: T type parameter, Box class
    def get(self) -> T: ...  # scope: function get in class Box | binds: get function, self parameter


type Pair[A, B] = tuple[A, B]  # scope: type parameters Pair in module | binds: A type parameter, B type parameter, Pair type alias
type Plain = int  # binds: Plain type alias
