// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Programs with two ends: run as two processes, on two processors; the client's report is read. */
#include <arpa/inet.h>
#include <ctype.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/stock.h"

#define WORDS (STOCK_WORDS + 16)
#define LISTEN_S 5.0
#define END_S "240" /* of timeout(1): perftest waits for a dead peer for ever */
#define FIELDS_SEPARATED_BY " \t,\n"

struct words {
	const char *word[WORDS + 1];
	unsigned int count;
};

static void add(struct words *words, const char *word)
{
	words->word[words->count++] = word;
}

static void add_all(struct words *words, const char *const *all)
{
	while (*all)
		add(words, *all++);
}

static int free_port(char text[8])
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(at);
	const int fd = socket(AF_INET, SOCK_STREAM, 0);
	int ret;

	if (fd < 0)
		return -1;
	ret = bind(fd, (struct sockaddr *)&at, length);
	if (!ret)
		ret = getsockname(fd, (struct sockaddr *)&at, &length);
	close(fd);
	snprintf(text, 8, "%u", ntohs(at.sin_port));
	return ret;
}

/* A connection would be taken for the client's, so the kernel's tables are read. */
static bool listens_in(const char *table, unsigned int port)
{
	FILE *file = fopen(table, "r");
	unsigned int local, state;
	bool found = false;
	char line[256];

	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file))
		found = sscanf(line, "%*s %*[0-9A-F]:%x %*s %x", &local, &state) == 2 &&
			local == port && state == 0x0a;
	fclose(file);
	return found;
}

static bool wait_until_it_listens(pid_t server, unsigned int port)
{
	const double start = cli_seconds();

	while (!listens_in("/proc/net/tcp", port) && !listens_in("/proc/net/tcp6", port)) {
		if (waitpid(server, NULL, WNOHANG | WNOWAIT) > 0 ||
		    cli_seconds() - start > LISTEN_S)
			return false;
		usleep(1000);
	}
	return true;
}

static pid_t start(const struct words *words, unsigned int processor, int out)
{
	const pid_t child = fork();

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	stock_pin(processor);
	dup2(out, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	execvp(words->word[0], (char *const *)(uintptr_t)words->word);
	perror(words->word[0]);
	_exit(127);
}

/* Returns 0 if both ended well; what the client had to say is in @report. */
static int run_pair(const struct words *server, const struct words *client, unsigned int port,
		    int report)
{
	const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	const pid_t first = start(server, 0, nowhere);
	int status = -1, other = -1;

	if (first > 0 && wait_until_it_listens(first, port)) {
		const pid_t second = start(client, 1, report);

		if (second > 0)
			waitpid(second, &status, 0);
	}
	if (first > 0) {
		if (status)
			kill(first, SIGTERM);
		waitpid(first, &other, 0);
	}
	close(nowhere);
	return status || other ? -1 : 0;
}

/* The last line that begins with a digit is the result. */
static int read_report(FILE *report, unsigned int column, double *value)
{
	char line[512], *field, *state = NULL;
	int ret = -1;

	rewind(report);
	while (fgets(line, sizeof(line), report)) {
		if (!isdigit((unsigned char)line[strspn(line, " ")]))
			continue;
		field = strtok_r(line, FIELDS_SEPARATED_BY, &state);
		for (unsigned int i = 0; field && i < column; i++)
			field = strtok_r(NULL, FIELDS_SEPARATED_BY, &state);
		ret = field ? 0 : -1;
		if (field)
			*value = strtod(field, NULL);
	}
	return ret;
}

static void complain(const struct stock_source *source, FILE *report)
{
	char line[512];

	fprintf(stderr, "%s: no result; is %s installed? It said:\n", source->name,
		source->words[0]);
	rewind(report);
	while (fgets(line, sizeof(line), report))
		fputs(line, stderr);
}

static int run_and_read(const struct stock_source *source, const struct words *server,
			const struct words *client, const char *port, double *value)
{
	const unsigned int number = (unsigned int)strtoul(port, NULL, 10);
	FILE *report = tmpfile();
	int ret;

	if (!report) {
		perror(source->name);
		return -1;
	}
	ret = run_pair(server, client, number, fileno(report));
	if (!ret)
		ret = read_report(report, source->column, value);
	if (ret)
		complain(source, report);
	else
		*value *= source->scale;
	fclose(report);
	return ret;
}

static void add_perftest(struct words *words, const struct stock_source *source, const char *host,
			 const char *fabric, const char *port)
{
	add_all(words, (const char *const[]){"timeout", END_S, stock_program(), "run", "--fabric",
					     fabric, "--host", host, "--", NULL});
	add_all(words, source->words);
	add_all(words, (const char *const[]){"-F", "-p", port, NULL});
}

int stock_perftest(const struct stock_source *source, double *value)
{
	struct words server = {.count = 0}, client = {.count = 0};
	char port[8], fabric[32];

	if (free_port(port))
		return -1;
	snprintf(fabric, sizeof(fabric), "bench-%d", getpid());
	add_perftest(&server, source, "alpha", fabric, port);
	add_perftest(&client, source, "beta", fabric, port);
	add(&client, "localhost");
	return run_and_read(source, &server, &client, port, value);
}

static int run_ucx(const struct stock_source *source, const char *transports, double *value)
{
	struct words server = {.count = 0}, client = {.count = 0};
	char port[8], variable[64];

	if (free_port(port))
		return -1;
	snprintf(variable, sizeof(variable), "UCX_TLS=%s", transports);
	add_all(&server, (const char *const[]){"timeout", END_S, "env", variable, "ucx_perftest",
					       "-p", port, NULL});
	add_all(&client, (const char *const[]){"timeout", END_S, "env", variable, NULL});
	add_all(&client, source->words);
	add_all(&client, (const char *const[]){"-f", "-v", "-p", port, "127.0.0.1", NULL});
	return run_and_read(source, &server, &client, port, value);
}

/* The better of shared memory alone, and with copies from process to process. */
int stock_ucx(const struct stock_source *source, double *value)
{
	double other;

	if (run_ucx(source, "posix,self", value) || run_ucx(source, "posix,cma,self", &other))
		return -1;
	if (source->is_less_better ? other < *value : other > *value)
		*value = other;
	return 0;
}
