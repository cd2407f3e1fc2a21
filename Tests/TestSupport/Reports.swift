import Dispatch
import SimpleFutures
import Testing

/// Collects the diagnostics reported while a test runs.
///
/// There is one handler per process: tests that set it run one at a time here, and look for the creation sites they
/// know.
enum Reports {
    private static let turn = DispatchSemaphore(value: 1)

    static func during<Result>(_ body: (Log<FuturesDiagnostic>) throws -> Result) rethrows -> Result {
        turn.wait()
        defer { turn.signal() }
        let previous = FuturesDiagnostics.handler
        defer { FuturesDiagnostics.handler = previous }
        let log = Log<FuturesDiagnostic>()
        FuturesDiagnostics.handler = { report in
            log.add(report)
            previous?(report)
        }
        return try body(log)
    }
}

extension Log where Entry == FuturesDiagnostic {
    /// The reports that name a creation site.
    func about(_ site: CreationSite) -> [FuturesDiagnostic] {
        all.filter {
            switch $0 {
            case .completedTwice(let at), .blockCalledTwice(let at), .brokenPromise(let at),
                .emittedAfterFinish(let at), .emitterReleased(let at), .blockCalledWithNeither(let at),
                .completedWithItself(let at), .iteratedAgain(let at), .contextsNotHashable(_, let at),
                .methodNotCalled(_, let at):
                at == site
            }
        }
    }
}

/// Expects a process to have failed with a message that contains these texts and names a line of the failing file.
func expect(_ result: ExitTest.Result?, toSay texts: String..., sourceLocation: SourceLocation = #_sourceLocation) {
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    for text in texts + ["\(sourceLocation.fileID):"] {
        #expect(output.contains(text), "\(output)", sourceLocation: sourceLocation)
    }
}
