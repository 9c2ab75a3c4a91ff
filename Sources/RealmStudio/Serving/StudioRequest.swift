// SPDX-License-Identifier: Apache-2.0

// A request of HTTP as a value.

#if Tools
import Foundation

/// A request, independent of its receiver.
struct StudioRequest: Sendable {
  var method: String
  /// The path, decoded.
  var path: String
  /// The parameters after the question mark, decoded; of several with one name the last.
  var parameters: [String: String] = [:]
  /// The headers by their names in small letters; of several with one name the last.
  var headers: [String: String] = [:]
  var body: [UInt8] = []
  /// The receiving port.
  var port: Int

  /// - Parameter target: The path and the parameters as they were sent.
  init(
    _ method: String, _ target: String, headers: [String: String] = [:], body: [UInt8] = [],
    port: Int
  ) {
    self.method = method
    self.headers = headers
    self.body = body
    self.port = port
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = String(parts.first ?? "").removingPercentEncoding ?? ""
    guard parts.count == 2 else { return }
    for pair in parts[1].split(separator: "&") {
      let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let texts = halves.map {
        $0.replacingOccurrences(of: "+", with: " ").removingPercentEncoding ?? ""
      }
      parameters[texts[0]] = texts.count == 2 ? texts[1] : ""
    }
  }

  func required(_ name: String) throws(StudioFailure) -> String {
    guard let text = parameters[name] else { throw .malformed(name, "given") }
    return text
  }

  /// A number in a range; `usual` if it is not given.
  func number(
    _ name: String, in range: ClosedRange<Int>, otherwise usual: Int
  ) throws(StudioFailure) -> Int {
    guard let text = parameters[name] else { return usual }
    guard let number = Int(text), range.contains(number) else {
      throw .malformed(name, "a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  func cookie(_ name: String) -> String? {
    for part in (headers["cookie"] ?? "").split(separator: ";") {
      let pair = part.drop { $0 == " " }
      if pair.hasPrefix("\(name)=") { return String(pair.dropFirst(name.count + 1)) }
    }
    return nil
  }
}
#endif
