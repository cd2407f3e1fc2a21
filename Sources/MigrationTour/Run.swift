import Foundation

/// One way to do the job, and what it is called.
struct Run: Sendable {
    let title: String
    let job: Job
}

extension Options {
    /// Every stage; or the first one and a mixture.
    var runs: [Run] {
        let limits = limits.withinDescriptors()
        let pure = Stage.allCases.map { Run(title: $0.title, job: Job(limits: limits, stages: Stages(all: $0))) }
        guard let seed else { return pure }
        return [pure[0], Run(title: "Mixed stages", job: Job(limits: limits, stages: Stages(seed: seed)))]
    }
}

extension Limits {
    /// At most as many jobs as the process may have descriptors for: one for the file, and some for the child's pipes.
    fileprivate func withinDescriptors() -> Limits {
        let available = sysconf(Int32(_SC_OPEN_MAX))
        guard available > 0 else { return self }
        var limits = self
        limits.jobs = min(jobs, max(1, (available - 32) / 8))
        return limits
    }
}
