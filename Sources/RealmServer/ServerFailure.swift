// SPDX-License-Identifier: Apache-2.0

// Why the server cannot run, in words for its operator.

#if Server
/// An error that one line explains.
struct ServerFailure: Error, Hashable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
#endif
