from api import Motor
import api

Motor.start  # resolves: engine.Engine.start likely
api.direct.Engine.start  # resolves: engine.Engine.start likely
