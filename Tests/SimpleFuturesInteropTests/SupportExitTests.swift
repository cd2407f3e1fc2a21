import Testing

/// Expects a process that has failed to have said so, in words that tell what to do.
func expect(_ result: ExitTest.Result?, toSay texts: String..., sourceLocation: SourceLocation = #_sourceLocation) {
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    for text in texts { #expect(output.contains(text), "\(output)", sourceLocation: sourceLocation) }
}
