// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* verbena topo: write the plan of a subnet, or look at one. */
#include <string.h>

#include "cli/cli.h"
#include "cli/topology_file.h"

#define ARRAY_LENGTH(a) (sizeof(a) / sizeof((a)[0]))
#define MOST_NUMBERS 3u

static struct topology *pair(const uint32_t *n)
{
	(void)n;
	return topology_pair();
}

static struct topology *fat_tree(const uint32_t *n)
{
	return topology_fat_tree(n[0]);
}

static struct topology *leaf_spine(const uint32_t *n)
{
	return topology_leaf_spine(n[0], n[1], n[2]);
}

static struct topology *dragonfly(const uint32_t *n)
{
	return topology_dragonfly(n[0], n[1], n[2]);
}

static struct topology *torus(const uint32_t *n)
{
	return topology_torus(n[0], n[1], n[2] ? n[2] : 1);
}

static struct topology *ring(const uint32_t *n)
{
	return topology_ring(n[0]);
}

static const struct kind {
	const char *name;
	const char *numbers;
	unsigned int least, most;
	struct topology *(*make)(const uint32_t *n);
} kinds[] = {
	{"pair", "", 0, 0, pair},
	{"fat-tree", "K", 1, 1, fat_tree},
	{"leaf-spine", "LEAVES HOSTS SPINES", 3, 3, leaf_spine},
	{"dragonfly", "HOSTS SWITCHES GLOBALS", 3, 3, dragonfly},
	{"torus", "X Y [Z]", 2, 3, torus},
	{"ring", "N", 1, 1, ring},
};

struct options {
	const char *check;
	const struct kind *kind;
	uint32_t number[MOST_NUMBERS];
	unsigned int numbers;
};

static const struct argp_option option_table[] = {
	{"check", 'c', "FILE", 0, "Read FILE and say how large it is", 0},
	{0},
};

static void take_word(struct options *o, char *arg, struct argp_state *state)
{
	uint64_t number;

	if (!o->kind) {
		for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++)
			if (!strcmp(arg, kinds[i].name))
				o->kind = &kinds[i];
		if (!o->kind)
			argp_error(state, "'%s' is no kind of subnet", arg);
		return;
	}
	if (o->numbers == MOST_NUMBERS || !cli_number(arg, 1, TOPOLOGY_MAX_NODES, &number))
		argp_error(state, "'%s': a number from 1 to %u, or one too many", arg,
			   TOPOLOGY_MAX_NODES);
	else
		o->number[o->numbers++] = (uint32_t)number;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'c':
		o->check = arg;
		return 0;
	case ARGP_KEY_ARG:
		take_word(o, arg, state);
		return 0;
	case ARGP_KEY_END:
		if (!o->kind == !o->check)
			argp_error(state, "either a kind of subnet, or --check FILE");
		else if (o->kind && (o->numbers < o->kind->least || o->numbers > o->kind->most))
			argp_error(state, "%s %s", o->kind->name, o->kind->numbers);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = option_table,
	.parser = parse_option,
	.children = cli_help,
	.args_doc =
		"pair\nfat-tree K\nleaf-spine LEAVES HOSTS SPINES\ndragonfly HOSTS SWITCHES GLOBALS\n"
		"torus X Y [Z]\nring N\n--check FILE",
	.doc = "Write a subnet, as ibnetdiscover prints what it has found, to standard output; or read "
	       "such a text."
	       "\vfat-tree: three levels of switches of K ports, K^3/4 hosts. leaf-spine: every leaf with "
	       "HOSTS hosts and a cable to every spine. dragonfly: each switch with HOSTS hosts and GLOBALS "
	       "cables to other groups, SWITCHES to a group. torus, ring: a host on each switch.\n\n"
	       "Exit status: 0; 1 if a file cannot be read or is wrong, with the line.",
};

static void say_size(const struct topology *t)
{
	uint32_t hosts = 0, ports = 0;

	for (uint32_t i = 0; i < t->count; i++) {
		const struct subnet_node_config *config = &t->node[i].config;

		hosts += config->type == SUBNET_CA;
		ports += config->ports + (config->type == SUBNET_SWITCH ? 1u : 0u);
	}
	printf("%u nodes: %u channel adapters, %u others; %u ports, %u cables\n", t->count, hosts,
	       t->count - hosts, ports, topology_links(t));
}

static int check(const char *path)
{
	struct topology *t;

	if (topology_file_check("verbena topo", path, &t))
		return 1;
	say_size(t);
	topology_free(t);
	return 0;
}

int cli_topo(int argc, char **argv)
{
	struct options o = {.check = NULL};
	struct topology *t;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (o.check)
		return check(o.check);
	t = o.kind->make(o.number);
	if (!t) {
		fprintf(stderr,
			"verbena topo: no %s can be like that: at most %u nodes, of at most %u ports%s\n",
			o.kind->name, TOPOLOGY_MAX_NODES, SUBNET_MAX_PORTS,
			o.kind->make == fat_tree ? "; K is even" : "");
		return 1;
	}
	topology_write(t, NULL, NULL, stdout);
	topology_free(t);
	return 0;
}
