// SPDX-License-Identifier: Apache-2.0

// `autoreleasepool` for platforms without the Objective-C runtime, so that programs that call it
// compile there.

#if !canImport(ObjectiveC)
/// Runs `body`. Without the Objective-C runtime there is nothing to release at the end.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result {
  try body()
}
#endif
