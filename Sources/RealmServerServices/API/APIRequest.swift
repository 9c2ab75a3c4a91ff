// SPDX-License-Identifier: Apache-2.0

// Requests as the listener hands them over, and their answers.

#if Server
package import RealmFormats
import RealmText

/// A request of HTTP.
package struct APIRequest: Sendable {
  package var method: String
  /// The path without the query, as it was sent.
  package var path: String
  /// The query after the question mark, as it was sent.
  package var query: String
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]
  package var origin: RequestOrigin
  /// The number by which the log names the request: 24 hexadecimal digits.
  package var id = ""

  package init(
    _ method: String, _ path: String, query: String = "",
    headers: [(name: String, value: String)] = [], body: [UInt8] = [],
    origin: RequestOrigin = RequestOrigin()
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
    self.origin = origin
  }

  /// - Parameter target: The path and the query, as they were sent.
  package init(
    _ method: String, target: String, headers: [(name: String, value: String)] = [],
    origin: RequestOrigin = RequestOrigin()
  ) {
    let mark = target.firstIndex(of: "?") ?? target.endIndex
    self.init(
      method, String(target[..<mark]), query: String(target[mark...].dropFirst()),
      headers: headers, origin: origin)
  }

  /// The value of a header, whose name is in any case; nil if there is none.
  package subscript(header name: String) -> String? {
    let name = name.lowercased()
    return headers.first { $0.name.lowercased() == name }?.value
  }

  /// The token of the header `Authorization`.
  var bearerToken: String? {
    guard let value = self[header: "Authorization"], value.hasPrefix("Bearer ") else { return nil }
    return String(value.dropFirst(7))
  }

  /// Whether the request has a token. The comparison takes the same time for any token.
  package func hasBearerToken(_ token: String) -> Bool {
    guard let bearerToken else { return false }
    return ConstantTime.areEqual(Array(bearerToken.utf8), Array(token.utf8))
  }

  /// The value of a parameter of the query; tokens need no escapes.
  package func parameter(_ name: String) -> String? {
    for part in query.split(separator: "&") where part.hasPrefix(name + "=") {
      return String(part.dropFirst(name.utf8.count + 1))
    }
    return nil
  }
}

/// The JSON document of a request.
struct APIBody {
  let json: JSONValue

  init(_ request: APIRequest) throws(APIError) {
    do throws(JSONError) {
      json = try JSONParser.parse(request.body)
    } catch {
      throw APIError(400, "MalformedJson", "the body is not JSON")
    }
    guard case .object = json else {
      throw APIError(400, "MalformedJson", "the body is not a JSON document")
    }
  }

  func has(_ key: String) -> Bool { json[key] != nil }

  func text(_ key: String) throws(APIError) -> String {
    guard let text = json[key]?.string else { throw .missing(key) }
    return text
  }

  /// The arguments of a call, in extended JSON.
  func arguments() throws(APIError) -> [BSONValue] {
    let arguments: BSONValue
    do throws(BSONError) {
      arguments = try ExtendedJSONReader.value(json["arguments"] ?? .array([]))
    } catch {
      throw .noExtendedJSON("the arguments are", error)
    }
    guard case .array(let values) = arguments else {
      throw APIError(400, "InvalidParameter", "the arguments are no array")
    }
    return values
  }

  /// The document without a member.
  func document(without key: String) throws(APIError) -> BSONValue {
    guard case .object(let members) = json else { throw .missing(key) }
    do throws(BSONError) {
      let document = try ExtendedJSONReader.value(.object(members.filter { $0.key != key }))
      if case .document = document { return document }
    } catch {
      throw .noExtendedJSON("the document is", error)
    }
    throw APIError(400, "BadBsonParse", "the body is a value, and no document")
  }

  /// The device's identifier from an earlier login; nil if there was none.
  var device: String? { json["options"]?["device"]?["deviceId"]?.string }
}

/// An answer of HTTP.
package struct APIResponse: Hashable, Sendable {
  package var status: Int
  /// Nil for an answer without a body.
  package var contentType: String?
  package var body: [UInt8]

  package init(status: Int = 200, contentType: String? = Self.json, body: [UInt8] = []) {
    self.status = status
    self.contentType = contentType
    self.body = body
  }

  /// The only content type under which clients read an error in the body (P1 A.4).
  package static let json = "application/json"

  /// The content type of results with the look of errors: clients do not search these for any (P1
  /// A.4).
  package static let uninspectedJSON = "application/json; charset=utf-8"

  /// The answer of a call that succeeds and returns nothing. With a content type, clients would
  /// read a document from its body.
  package static let noContent = APIResponse(status: 204, contentType: nil)

  package init(_ json: JSONValue, status: Int = 200) {
    self.init(status: status, body: JSONWriter.bytes(json))
  }
}
#endif
