// SPDX-License-Identifier: Apache-2.0

// Requests of HTTP that strangers and users send to a server.

#if Tools && Server
import Foundation
import RealmFormats
import RealmServerServices
import RealmStorage
import RealmTestSupport

extension FuzzTarget {
  /// Answers a request: the first line has the method and the target, the next ones the headers,
  /// and the body follows an empty line. `$A` and `$R` are the tokens of a user, and `$U` is its
  /// number.
  static let request = FuzzTarget(
    name: "request", byteCountMax: 1_024,
    run: { input, _ in
      let text = String(decoding: input, as: UTF8.self)
      let status = try waiting { try await RequestBench().status(of: text) }
      // What a client sends is its own mistake, or the server is busy.
      guard status < 500 || status == 503 else { throw Finding("the server failed: \(status)") }
      return status < 400 ? .read : .refused
    },
    seeds: { _ in requestTexts.map { Array($0.utf8) } })

  /// Waits for a result on a thread of the caller's own.
  private static func waiting<R: Sendable>(
    _ body: @escaping @Sendable () async throws -> R
  ) throws -> R {
    let (done, result) = (DispatchSemaphore(value: 0), Locked<Result<R, any Error>?>(nil))
    Task {
      let made: Result<R, any Error>
      do { made = .success(try await body()) } catch { made = .failure(error) }
      result.withLock { $0 = made }
      done.signal()
    }
    done.wait()
    guard let made = result.withLock({ $0 }) else { throw Finding("a task without a result") }
    return try made.get()
  }

  private static let place = "/api/client/v2.0/app/todos"
  private static let bearer = "Authorization: Bearer $A\n\n"

  /// A call about documents.
  private static func call(_ name: String, _ members: String) -> String {
    "POST \(place)/functions/call\n" + bearer + #"{"name":"\#(name)","service":"mongodb-atlas","#
      + #""arguments":[{"database":"db","collection":"Thing",\#(members)}]}"#
  }

  private static let requestTexts =
    [
      "GET \(place)/location\nHost: 127.0.0.1:9090\nX-Forwarded-Proto: https\n\n",
      "GET /logs?co_id=0123456789abcdef01234567\n\n",
      "POST \(place)/auth/providers/anon-user/login\n\n{\"options\":{\"device\":{\"a\":1}}}",
      "POST \(place)/auth/providers/local-userpass/register\n\n"
        + #"{"email":"b@x.org","password":"secret2"}"#,
      "POST \(place)/auth/providers/local-userpass/login\n\n"
        + #"{"username":"ann@x.org","password":"secret1"}"#,
      "POST \(place)/auth/providers/local-userpass/reset/send\n\n{\"email\":\"ann@x.org\"}",
      "POST \(place)/auth/providers/local-userpass/confirm\n\n{\"token\":\"t\",\"tokenId\":\"i\"}",
      "POST \(place)/auth/providers/custom-token/login\n\n{\"token\":\"eyJhIjoxfQ.e30.AA\"}",
      "POST \(place)/auth/providers/api-key/login\n\n{\"key\":\"k\"}",
      "POST /api/client/v2.0/auth/session\nAuthorization: Bearer $R\n\n",
      "DELETE /api/client/v2.0/auth/session\nAuthorization: Bearer $R\n\n",
      "GET /api/client/v2.0/auth/profile\n" + bearer,
      "POST \(place)/auth/api_keys\nAuthorization: Bearer $R\n\n{\"name\":\"robot\"}",
      "GET \(place)/auth/api_keys\nAuthorization: Bearer $R\n\n",
      "POST \(place)/functions/call\n" + bearer + #"{"name":"f","arguments":[{"$numberInt":"1"}]}"#,
      "OPTIONS \(place)/location\nOrigin: https://x.org\n"
        + "Access-Control-Request-Method: POST\n\n",
      call("insertOne", #""document":{"_id":1,"n":{"$numberLong":"2"},"s":"a","l":[1,2]}"#),
      call("find", #""query":{"n":{"$gte":1},"s":{"$regex":"^a"}},"sort":{"n":-1},"limit":3"#),
      call("updateMany", #""query":{"_id":0},"update":{"$inc":{"n":1},"$push":{"l":3}}"#),
      call(
        "aggregate",
        #""pipeline":[{"$match":{"n":1}},{"$group":{"_id":"$s","c":{"$sum":"$n"}}},"#
          + #"{"$project":{"x":{"$concat":["a","$_id"]}}}]"#),
      call("findOneAndUpdate", #""filter":{"s":"a"},"update":{"$set":{"l.0":9}},"upsert":true"#),
      call("deleteMany", #""query":{"$or":[{"n":1},{"l":{"$elemMatch":{"$gt":1}}}]}"#),
    ]
}
#endif
