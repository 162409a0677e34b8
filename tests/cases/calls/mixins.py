"""A mixin is called through its host: `self: Host` says so, and so do the hosts themselves."""


class Reporting:
    def report(self: "Worker"):
        self.label()  # calls: Worker.label
        self.shorten("x")  # calls: Reporting.shorten

    def shorten(self, text):
        return text[:1]


class Plain:
    def outline(self):
        return self.label()  # calls: Worker.label


class Worker(Reporting, Plain):
    def label(self):
        return "worker"

    def run(self):
        self.report()  # calls: Reporting.report
        self.outline()  # calls: Plain.outline


Worker().run()  # calls: Worker, Worker.run
