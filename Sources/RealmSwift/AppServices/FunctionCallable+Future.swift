// SPDX-License-Identifier: Apache-2.0

// Calls of functions as publishers. Each begins at once, and its result is published on a thread of
// the library.

#if Sync
#if canImport(Combine) || OpenCombine
#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

extension FunctionCallable {
  /// Calls the function with some arguments.
  @_disfavoredOverload
  public func dynamicallyCall(withArguments arguments: [AnyBSON]) -> Future<AnyBSON, any Error> {
    future { try await self.call(arguments) }
  }

  /// Calls the function with the elements of an array as arguments. Several arrays are arguments
  /// themselves.
  public func dynamicallyCall(withArguments arguments: [[AnyBSON]]) -> Future<AnyBSON, any Error> {
    future { try await self.call(Self.separate(arguments)) }
  }
}
#endif
#endif
