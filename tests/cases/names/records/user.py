from shapes import Colour, Job, Line, Options, Pair, Phase, Point, Settings, Spot

Job.name  # resolves: shapes.Job.name
Job.tags  # resolves: shapes.Job.tags
Pair.left  # resolves: shapes.Pair.left
Options.depth  # resolves: shapes.Options.depth
Phase.IDLE  # resolves: shapes.Phase.IDLE
Point.y  # resolves: shapes.Point.y
Line.end  # resolves: shapes.Line.end
Settings.size  # resolves: shapes.Settings.size
Colour.BLUE  # resolves: shapes.Colour.BLUE
Spot.column  # resolves: shapes.Spot.column
Spot.value  # resolves: shapes.Spot.value
Point  # resolves: shapes.Point
Point.z  # unknown: z
