// SPDX-License-Identifier: Apache-2.0

// What programs call that were written with the Objective-C runtime in mind.

#if !canImport(ObjectiveC)
/// Runs `body`. Without the Objective-C runtime there is nothing to release at the end.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result {
  try body()
}
#endif
