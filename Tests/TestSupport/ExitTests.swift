import Testing

/// Expects a process that has failed to have said so, in words that tell what to do, and to have named a line of the
/// file that it has failed in.
func expect(_ result: ExitTest.Result?, toSay texts: String..., sourceLocation: SourceLocation = #_sourceLocation) {
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    for text in texts + ["\(sourceLocation.fileID):"] {
        #expect(output.contains(text), "\(output)", sourceLocation: sourceLocation)
    }
}
